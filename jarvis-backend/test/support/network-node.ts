import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createNetworkTimers, createSshShell } from '../../src/homelab/ssh/index.ts'
import { folder } from './data-dir.ts'
import { startKnownSshd } from './known-sshd.ts'

/** As strict as systemd's: it refuses what that refuses, and replaces what that replaces in a command's words. */
const systemdRun = `
[ "$1" != --version ] || { echo 'systemd 257 (257.9-1~deb13u1)'; exit 0; }
unit= after=
while :; do
  case "$1" in
    --quiet|--collect) ;;
    --unit=*) unit="\${1#--unit=}" ;;
    --on-active=*) after="\${1#--on-active=}" ;;
    --timer-property=AccuracySec=*s) ;;
    --*) echo "systemd-run: unrecognized option '$1'" >&2; exit 1 ;;
    *) break ;;
  esac
  shift
done
case "$unit" in ''|*[!A-Za-z0-9:_.\\\\-]*) echo "Failed to mangle unit name: Invalid argument" >&2; exit 1 ;; esac
echo "$after" | grep -Eqx '[0-9]+(s|min|h)?' || { echo "Failed to parse timer value: $after" >&2; exit 1; }
[ -x "$1" ] || { echo "Failed to find executable $1: No such file or directory" >&2; exit 1; }
mkdir UNITS/$unit 2>/dev/null || {
  echo "Failed to start transient timer unit: Unit $unit.timer was already loaded or has a fragment file." >&2; exit 1; }
echo "$after" > UNITS/$unit/after
for word; do printf '%s' "$word" | sed -e 's/\${[A-Za-z_]*}//g' -e 's/\\$\\$/$/g'; printf '\\0'; done > UNITS/$unit/command`

const systemctl = `
unit="\${2%.timer}"
[ "$1" = stop ] && [ -d UNITS/$unit ] || { echo "Failed to stop $2: Unit $2 not loaded." >&2; exit 5; }
rm -r UNITS/$unit`

/** A node behind a real SSH server, whose systemd and ifupdown2 are programs of the test. Ends with the test. */
export async function startNetworkNode() {
  const dir = folder()
  const [bin, units, runDir] = ['bin', 'units', 'run'].map((name) => join(dir, name)) as [string, string, string]
  for (const path of [bin, units, runDir]) mkdirSync(path)
  const program = (name: string, text: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text.replaceAll('UNITS', units)}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  program('systemd-run', systemdRun)
  program('systemctl', systemctl)
  program('ifreload', `echo "$@" >> ${join(dir, 'reloads')}`)
  program('id', 'echo 0')
  const path = `${bin}:/usr/bin:/bin`
  const { sshd, options } = await startKnownSshd({ settings: [`SetEnv PATH=${path} SHLVL=1`] })
  const shell = createSshShell(options)
  const interfaces = join(dir, 'interfaces')
  writeFileSync(interfaces, 'old\n')
  const timers = createNetworkTimers(shell, { interfaces, runDir })
  const reloads = () => (existsSync(join(dir, 'reloads')) ? readFileSync(join(dir, 'reloads'), 'utf8') : '')
  return {
    sshd,
    shell,
    timers,
    interfaces,
    runDir,
    program,
    /** As Proxmox does it. */
    stage: (text: string) => writeFileSync(`${interfaces}.new`, text),
    inForce: () => readFileSync(interfaces, 'utf8'),
    reloads: () => reloads().split('\n').length - 1,
    armed: () => readdirSync(units),
    after: (unit: string) => readFileSync(join(units, unit, 'after'), 'utf8').trim(),
    /** The timer's time has come. */
    async fire(unit: string) {
      const [command = '', ...args] = readFileSync(join(units, unit, 'command'), 'utf8')
        .split('\0')
        .slice(0, -1)
      return promisify(execFile)(command, args, { env: { PATH: path } })
    },
  }
}
