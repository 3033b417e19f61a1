/** Packages of the demo, which a build may leave out. */
export const scenery: readonly string[]

/**
 * Bundles programs that run the server, with its threads beside them. `outdir` must be a folder in `jarvis-backend`. `leftOut`: packages
 * that fail when they are loaded.
 */
export function bundle(programs: Record<string, string>, outdir: string, leftOut?: readonly string[]): Promise<void>

/** Tests if the server's bundle is missing or older than its sources. */
export function isServerStale(): boolean

/** Tests if the built dashboard is missing or older than its sources. */
export function isDashboardStale(): boolean

/** When the newest source of the dashboard was changed, Unix ms. */
export function newestOfDashboard(): number

/** When the newest file of these files and folders was changed, Unix ms; 0 where there is none. */
export function newest(paths: readonly string[]): number
