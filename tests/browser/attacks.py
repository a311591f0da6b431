"""Scripts that a page must not run, in every way in which one can come into it."""

from typing import Any

ATTACKS = """
<script>window.planted = "script"</script>
<script type="module">window.planted = "module"</script>
<script src="data:text/javascript,window.planted='address'"></script>
<img src="absent.png" alt="" onerror="window.planted = 'image'">
<svg onload="window.planted = 'drawing'"></svg>
<iframe srcdoc="<script>parent.planted = 'frame'</script>"></iframe>
<a id="planted-link" href="javascript:window.planted = 'link'">a link</a>
<button id="planted-button" onclick="window.planted = 'button'">a button</button>
"""
"""What would run if it came into a page in spite of all."""


def ran(page: Any) -> Any:
    """What of it did run on an open page, after a click on what waits for one; None if nothing."""
    page.locator("#planted-link").click()
    page.locator("#planted-button").click()
    page.wait_for_timeout(200)
    return page.evaluate("window.planted")
