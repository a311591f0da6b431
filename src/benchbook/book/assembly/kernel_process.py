"""The process of a kernel, by ``python -m`` of this module: ipykernel's, but for a port that it opens.

Whatever its transport, ipykernel opens a port of 127.0.0.1 for what forked processes print; where it gets none, it does
without, after a warning. No notebook forks, so none is opened here.
"""

from ipykernel import kernelapp
from ipykernel.iostream import IOPubThread


class PortlessIOPubThread(IOPubThread):
    """Sends what the kernel itself prints."""

    def _setup_pipe_in(self) -> None:
        self._pipe_flag = False


if __name__ == "__main__":
    kernelapp.IOPubThread = PortlessIOPubThread  # type: ignore[attr-defined]
    kernelapp.launch_new_instance()
