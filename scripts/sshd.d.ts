/** OpenSSH's server for the tests: `SSHD_PATH`, else the first found on `PATH` or where systems keep it. */
export function findSshd(): string | undefined
