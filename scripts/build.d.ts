/** Whether the server's bundle is missing or older than its sources. */
export function isServerStale(): boolean

/** Whether the built dashboard is missing or older than its sources. */
export function isDashboardStale(): boolean
