/** Bundles programs that run the server, with its threads beside them. `outdir` must be a folder in `jarvis-backend`. */
export function bundle(programs: Record<string, string>, outdir: string): Promise<void>

/** Whether the server's bundle is missing or older than its sources. */
export function isServerStale(): boolean

/** Whether the built dashboard is missing or older than its sources. */
export function isDashboardStale(): boolean
