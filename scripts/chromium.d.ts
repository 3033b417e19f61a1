/** The browser for the tests: `CHROMIUM_PATH`, else the first found on `PATH`. */
export function findChromium(): string | undefined

/** It draws in software and asks nobody for anything. */
export const chromiumArgs: string[]
