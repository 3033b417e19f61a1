export type { SshOptions } from './connect.ts'
export type { Address } from './known-hosts.ts'
export { createSshShell } from './shell.ts'
export { createSshTerminals } from './terminals.ts'
