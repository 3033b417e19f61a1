/** A wake-up has several signs at once. */
const signsMs = 50

/** Calls `listener` when the page is looked at again, or the network came back: what looked well may be long dead. */
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
