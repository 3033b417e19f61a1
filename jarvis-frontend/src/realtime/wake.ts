/** One wake-up fires several events; those within this time count as one. */
const signsMs = 50

/** Calls `listener` when the page is visible again or the network is back, because the connection may have died unnoticed. */
export function onWake(listener: () => void): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const tell = () => {
    clearTimeout(timer)
    if (!document.hidden) timer = setTimeout(listener, signsMs)
  }
  document.addEventListener('visibilitychange', tell)
  addEventListener('focus', tell)
  addEventListener('online', tell)
}
