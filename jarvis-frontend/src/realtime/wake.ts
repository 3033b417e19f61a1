/** One wake-up fires several events. Events within this time, ms, count as one. */
const signsMs = 50

/** Calls `listener` when the page becomes visible or the network returns, because the connection may have died unnoticed. */
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
