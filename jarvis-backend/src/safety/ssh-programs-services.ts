import type { Grammar } from './ssh-grammar.ts'
import { interfaceName, list, number, text, times, unit, when, word } from './ssh-patterns.ts'

const long = (names: string) => names.split(' ').map((name) => `--${name}`)
const deletes = 'delete entries'
const none: Grammar = {}

/** `show` tells everything, the environment with its secrets too: only these properties are let out. */
const properties =
  /^(?:(?:Id|Names|Description|LoadState|ActiveState|SubState|UnitFileState|UnitFilePreset|FragmentPath|DropInPaths|MainPID|ExecMainPID|ExecMainStatus|ExecMainCode|ExecMainStartTimestamp|Result|NRestarts|MemoryCurrent|MemoryPeak|MemoryMax|MemoryHigh|CPUUsageNSec|TasksCurrent|TasksMax|ActiveEnterTimestamp|InactiveEnterTimestamp|StateChangeTimestamp|Type|Restart|RestartUSec|Slice|ControlGroup|Requires|RequiredBy|Wants|WantedBy|After|Before|TriggeredBy|Triggers|User|Group|WorkingDirectory|ExecStart|OOMPolicy|NextElapseUSecRealtime|LastTriggerUSec|What|Where|StatusText)(?:,(?!$)|$))+$/
const units: Grammar = { rest: unit }
const someUnits: Grammar = { rest: unit, min: 1 }
const container = /^[A-Za-z0-9][\w.-]*$/
const format = { '--format': text, '--filter': /^[a-z]+=[\w.:/=-]+$/ }
const containers: Grammar = { rest: container, min: 1 }

/** systemd, its log, containers: what runs and what it said. */
export const servicePrograms: Readonly<Record<string, Grammar>> = {
  systemctl: {
    shared: true,
    flags: 'alqr',
    words: long('no-pager all full no-legend plain quiet failed recursive reverse with-dependencies value user system'),
    values: {
      '-n': number,
      '--lines': number,
      '-t': list,
      '--type': list,
      '--state': list,
      '-o': word,
      '--output': word,
      '--timestamp': word,
    },
    sub: {
      status: { rest: unit },
      'is-active': someUnits,
      'is-enabled': someUnits,
      'is-failed': units,
      'is-system-running': none,
      'list-units': units,
      'list-unit-files': units,
      'list-timers': units,
      'list-sockets': units,
      'list-dependencies': { words: ['--after', '--before'], rest: unit },
      'list-jobs': none,
      'list-automounts': units,
      'list-machines': none,
      'get-default': none,
      cat: someUnits,
      show: {
        values: { '-p': properties, '--property': properties, '-P': properties },
        rest: unit,
        needs: [['-p', '--property', '-P']],
      },
    },
    subOptional: true,
    denied: { '-H': 'act on another machine', '--host': 'act on another machine', '-M': 'act inside a container' },
  },
  journalctl: {
    flags: 'krxqamel',
    words: long(
      'no-pager reverse catalog quiet all merge dmesg list-boots disk-usage utc no-hostname pager-end no-full header',
    ),
    values: {
      '-u': unit,
      '--unit': unit,
      '--user-unit': unit,
      '-p': /^[a-z0-7]+(?:\.\.[a-z0-7]+)?$/,
      '--priority': /^[a-z0-7]+(?:\.\.[a-z0-7]+)?$/,
      '-S': when,
      '--since': when,
      '-U': when,
      '--until': when,
      '-t': word,
      '--identifier': word,
      '-g': text,
      '--grep': text,
      '-o': /^[a-z-]+$/,
      '--output': /^[a-z-]+$/,
      '--output-fields': /^[A-Z_,]+$/,
      '--facility': list,
      '--case-sensitive': /^(?:true|false)$/,
    },
    optional: {
      '-b': /^(?:-?\d{1,4}|[+]\d{1,4}|[\da-f]{32}|all)$/,
      '--boot': /^(?:-?\d{1,4}|[\da-f]{32}|all)$/,
      '-n': /^\+?\d{1,6}$/,
      '--lines': /^\+?\d{1,6}$/,
    },
    rest: /^_?[A-Z][A-Z0-9_]*=/,
    denied: {
      '-f': 'wait for more and never end',
      '--follow': 'wait for more and never end',
      '--vacuum-size': deletes,
      '--vacuum-time': deletes,
      '--vacuum-files': deletes,
      '--rotate': 'start new log files',
      '--flush': 'move the log',
      '--sync': 'write the log out',
      '--relinquish-var': 'move the log',
      '--cursor-file': 'write a file',
      '--setup-keys': 'make keys',
      '--update-catalog': 'rewrite its catalog',
      '-D': 'read another folder',
      '--directory': 'read another folder',
      '--file': 'read another file',
      '--root': 'read another folder',
    },
  },
  'systemd-analyze': {
    words: ['--no-pager'],
    shared: true,
    sub: { time: none, blame: none, 'critical-chain': units },
    subOptional: true,
  },
  'systemd-cgls': { flags: 'l', words: ['--no-pager'] },
  'systemd-cgtop': {
    flags: 'b1',
    values: { '-n': times, '--iterations': times },
    needs: [['-b'], ['-n', '--iterations']],
  },
  'systemd-detect-virt': { words: ['-c', '-v', '--container', '--vm'] },
  timedatectl: {
    words: ['--no-pager'],
    shared: true,
    sub: { status: none, show: none, 'timesync-status': none },
    subOptional: true,
  },
  hostnamectl: { words: ['--no-pager'], shared: true, sub: { status: none }, subOptional: true },
  loginctl: {
    words: ['--no-pager', '--no-legend'],
    shared: true,
    sub: { 'list-sessions': none, 'list-users': none },
    subOptional: true,
  },
  resolvectl: {
    words: ['--no-pager'],
    shared: true,
    sub: { status: { rest: interfaceName }, statistics: none, dns: none },
  },
  networkctl: {
    words: ['--no-pager', '-a', '--all'],
    shared: true,
    sub: { status: { rest: interfaceName }, list: { rest: interfaceName } },
    subOptional: true,
  },
  chronyc: {
    flags: 'n',
    shared: true,
    sub: { tracking: none, sources: { flags: 'va' }, sourcestats: { flags: 'va' }, activity: none },
  },
  crontab: { words: ['-l'], values: { '-u': word }, needs: [['-l']] },
  docker: {
    sub: {
      ps: {
        flags: 'aqsl',
        words: long('all quiet size latest no-trunc'),
        values: { ...format, '-n': number, '--last': number, '-f': /^[a-z]+=[\w.:/=-]+$/ },
      },
      images: { flags: 'aq', words: long('all quiet digests no-trunc'), values: format, rest: /^[a-z0-9][\w.:/-]*$/ },
      logs: {
        flags: 't',
        words: ['--timestamps'],
        values: { '--tail': /^(?:\d{1,6}|all)$/, '-n': /^(?:\d{1,6}|all)$/, '--since': when, '--until': when },
        operands: [container],
        min: 1,
        denied: {
          '-f': 'wait for more and never end',
          '--follow': 'wait for more and never end',
          '--details': 'show variables',
        },
      },
      stats: {
        words: ['--no-stream', '-a', '--all', '--no-trunc'],
        values: { '--format': text },
        needs: [['--no-stream']],
        rest: container,
      },
      top: { operands: [container], min: 1 },
      port: containers,
      version: none,
      info: none,
      diff: containers,
      system: { sub: { df: { flags: 'v' }, info: none } },
      network: { sub: { ls: { flags: 'q', words: ['--no-trunc'], values: format } } },
      volume: { sub: { ls: { flags: 'q', values: format } } },
      container: { sub: { ls: { flags: 'aqs', words: ['--all'], values: format } } },
      image: { sub: { ls: { flags: 'aq', words: ['--all'], values: format } } },
      compose: { sub: { ls: { flags: 'a', words: ['--all'] } } },
    },
    denied: { '-H': 'act on another machine', '--host': 'act on another machine', '-c': 'act on another machine' },
  },
}
