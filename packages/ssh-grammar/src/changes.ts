import { type Grammar, sortWords, type Usage } from './grammar.ts'
import { number } from './patterns.ts'
import { guestOfUnit, isNoService, restartCost } from './services.ts'

export type Change = { does: string; service?: string }
type Judged = { ok: true; change: Change } | { ok: false; reason: string }

/** Units that the node itself needs. `restart_service` restarts them and knows the risk. Only a person on the node may stop them. */
const ofTheNode =
  /^(?:pve|proxmox|qm|corosync|ceph|zfs|lvm|dm-|blk-|md|nfs|rpc|iscsi|multipath|lxc|ssh|network|ifup|watchdog|apparmor|keyboard-|console-|cgroup|kmod|auditd|accounts-|rc-local|apt-|dpkg-|unattended-|packagekit)/

/** Returns why a unit may not be changed; undefined for a unit that nothing else depends on. */
function foreignUnit(verb: string, unit: string): string | undefined {
  if (isNoService(unit)) return `${unit} is not a service.`
  if (guestOfUnit(unit) !== undefined) return `${unit} is a guest; the tools for guests know what it is.`
  const cost = restartCost(unit)
  if (cost !== undefined || ofTheNode.test(unit.toLowerCase())) {
    const why = cost === undefined ? 'belongs to the node itself' : `is vital: a restart ${cost}`
    return verb === 'restart' || verb === 'reload' ? `${unit} ${why}. Use restart_service.` : `${unit} ${why}.`
  }
  return undefined
}

const unit = /^[A-Za-z0-9][\w@.:-]{0,127}$/
const container = /^[A-Za-z0-9][\w.-]{0,127}$/
const oneUnit: Grammar = { operands: [unit], min: 1 }
const oneContainer: Grammar = {
  values: { '-t': number, '--time': number, '--timeout': number },
  operands: [container],
  min: 1,
}
const update: Grammar = { words: ['-q', '-qq', '--quiet'], shared: true, sub: { update: {} } }

type Does = (verb: string, name: string, options: ReadonlySet<string>) => Judged
const says = (does: string, service?: string): Judged => ({
  ok: true,
  change: service === undefined ? { does } : { does, service },
})
const refuses = (reason: string): Judged => ({ ok: false, reason })

/** Changes that a person may be asked about. Other uses of these programs are judged as reads. */
const changes: ReadonlyMap<string, { grammar: Grammar; does: Does }> = new Map([
  [
    'systemctl',
    {
      grammar: {
        words: ['--no-pager'],
        shared: true,
        sub: {
          start: oneUnit,
          stop: oneUnit,
          restart: oneUnit,
          reload: oneUnit,
          enable: { ...oneUnit, words: ['--now'] },
          disable: { ...oneUnit, words: ['--now'] },
        },
      },
      does(verb, name, options) {
        const problem = foreignUnit(verb, name)
        if (problem !== undefined) return refuses(problem)
        const now = options.has('--now')
        const sentences: Record<string, string> = {
          start: `It starts ${name}.`,
          stop: `It stops ${name}, which stays away until somebody starts it.`,
          restart: `It restarts ${name}, which is away for some seconds.`,
          reload: `It makes ${name} read its configuration again.`,
          enable: `It makes ${name} start with the node${now ? ', and starts it now' : ''}.`,
          disable: `It makes ${name} no longer start with the node${now ? ', and stops it now' : ''}.`,
        }
        return says(sentences[verb] ?? '', name)
      },
    },
  ],
  [
    'docker',
    {
      grammar: { sub: { start: { ...oneContainer, values: {} }, stop: oneContainer, restart: oneContainer } },
      does(verb, name) {
        if (/jarvis/i.test(name)) return refuses(`${name} may be JARVIS itself.`)
        const end = { stop: ', which stays away until somebody starts it', restart: ', which is away for some seconds' }
        return says(`It ${verb}s the container ${name}${end[verb as keyof typeof end] ?? ''}.`, name)
      },
    },
  ],
  ...['apt', 'apt-get'].map((program): [string, { grammar: Grammar; does: Does }] => [
    program,
    { grammar: update, does: () => says('It fetches the lists of available packages; nothing is installed.') },
  ]),
  [
    'zpool',
    {
      grammar: {
        sub: {
          scrub: {
            words: ['-s', '-p'],
            operands: [/^[A-Za-z][\w.:-]*$/],
            min: 1,
            denied: { '-w': 'wait until it has ended' },
          },
        },
      },
      does(_verb, name, options) {
        if (options.has('-s')) return says(`It ends the scrub of ${name}.`)
        if (options.has('-p')) return says(`It pauses the scrub of ${name}.`)
        return says(`It reads all of ${name} to check it, which slows its disks for hours.`)
      },
    },
  ],
])

/** Commands that check a configuration. They open the log files that the configuration names, and create missing ones. */
const checks: Readonly<Record<string, string>> = Object.fromEntries(
  ['nginx -t', 'nginx -t -q', 'nginx -tq', 'nginx -qt']
    .concat(['apache2ctl', 'apachectl'].flatMap((program) => [`${program} -t`, `${program} configtest`]))
    .map((line) => [
      line,
      `It checks the configuration of ${line.startsWith('nginx') ? 'nginx' : 'Apache'}, and makes log files and folders that are missing.`,
    ]),
)

/** Judges a command as one of the changes. @returns undefined if the command is none of them */
export function judgeChange([program = '', ...words]: readonly string[]): Judged | undefined {
  const check = [program, ...words].join(' ')
  if (Object.hasOwn(checks, check)) return says(checks[check] ?? '')
  const change = changes.get(program)
  const verb = words.find((word) => !word.startsWith('-')) ?? ''
  if (change === undefined || !Object.hasOwn(change.grammar.sub ?? {}, verb)) return undefined
  const sorted: Usage | string = sortWords(program, change.grammar, words)
  return typeof sorted === 'string' ? refuses(sorted) : change.does(verb, sorted.operands[0] ?? '', sorted.options)
}
