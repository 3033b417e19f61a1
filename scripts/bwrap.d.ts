/** Bubblewrap, where it is installed and may make a sandbox: a container often refuses it. */
export function findBwrap(): string | undefined
