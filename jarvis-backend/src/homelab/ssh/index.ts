export type { SshOptions } from './connect.ts'
export type { Address } from './known-hosts.ts'
export { createSshShell } from './shell.ts'
