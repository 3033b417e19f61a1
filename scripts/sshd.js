import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** OpenSSH's server for the tests: `SSHD_PATH`, else the first found on `PATH` or where systems keep it. */
export function findSshd() {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  const given = process.env.SSHD_PATH
  return (given ? [given] : folders.map((dir) => join(dir, 'sshd'))).find((path) => {
    try {
      accessSync(path, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
