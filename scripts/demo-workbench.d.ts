/**
 * Gives the demo files to work with, and turns parts of the workbench on: once, and in no data dir of somebody's own.
 * @returns why it could not, for people
 */
export function makeDemoWorkbench(dataDir: string): string | undefined
