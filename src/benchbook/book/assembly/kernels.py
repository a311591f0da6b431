"""Kernels for the chapters, and their orderly end."""

from typing import ClassVar

from jupyter_client.manager import AsyncKernelManager


class OrderlyKernelManager(AsyncKernelManager):
    """Ends a kernel by asking it to end; only one that does not is terminated, and then killed.

    Jupyter's own way interrupts the kernel first, whether it is busy or not. Where the interrupt meets a kernel that is
    still tidying up after its last message, the kernel complains about it on standard error.
    """

    ended: ClassVar[int | None] = None
    """How the process of this worker's last kernel ended before it was asked to: an exit code, or minus a signal."""
    _asked: ClassVar[bool] = False

    @classmethod
    def begin(cls) -> None:
        """Forget the last kernel."""
        cls.ended, cls._asked = None, False

    async def _async_is_alive(self) -> bool:
        status = await self.provisioner.poll() if self.has_kernel and self.provisioner else None
        if status is not None and not self._asked:
            type(self).ended = status
        return await super()._async_is_alive()

    is_alive = _async_is_alive

    # Its types are those of the synchronous manager, from which the library derives its asynchronous one.
    async def shutdown_kernel(  # type: ignore[override]
        self, now: bool = False, restart: bool = False
    ) -> None:
        """End the kernel and remove what it left. now: kill it. restart: another one will take its place."""
        await self._async_is_alive()
        type(self)._asked = True
        if self.has_kernel and not now:
            await self.request_shutdown(restart=restart)
            await self.finish_shutdown(restart=restart)
        # What is left to do without a process is to tidy up; asking once more would reach nobody.
        await super().shutdown_kernel(now=True, restart=restart)
