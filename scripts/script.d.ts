/** The path of util-linux's `script`; undefined where there is none. */
export function findScript(): string | undefined
