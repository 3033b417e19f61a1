import type { Grammar } from '../grammar.ts'
import { host, interfaceName, list, number, text, times, unit, when, word } from '../patterns.ts'

const long = (names: string) => names.split(' ').map((name) => `--${name}`)
const deletes = 'delete entries'
const none: Grammar = {}

/** Properties that `systemctl show` may print. The full list would include the environment with its secrets. */
const properties =
  /^(?:(?:Id|Names|Description|LoadState|ActiveState|SubState|UnitFileState|UnitFilePreset|FragmentPath|DropInPaths|MainPID|ExecMainPID|ExecMainStatus|ExecMainCode|ExecMainStartTimestamp|Result|NRestarts|MemoryCurrent|MemoryPeak|MemoryMax|MemoryHigh|CPUUsageNSec|TasksCurrent|TasksMax|ActiveEnterTimestamp|InactiveEnterTimestamp|StateChangeTimestamp|Type|Restart|RestartUSec|Slice|ControlGroup|Requires|RequiredBy|Wants|WantedBy|After|Before|TriggeredBy|Triggers|User|Group|WorkingDirectory|ExecStart|OOMPolicy|NextElapseUSecRealtime|LastTriggerUSec|What|Where|StatusText|ActiveExitTimestamp|InactiveExitTimestamp|ExecMainExitTimestamp|NeedDaemonReload|ConditionResult|InvocationID|MemorySwapCurrent|TimeoutStartUSec|TimeoutStopUSec|PartOf|Conflicts|BindsTo|Documentation|SourcePath|IOReadBytes|IOWriteBytes|LimitNOFILE|Nice|Unit|Listen|ControlPID|StatusErrno|ExecStartPre|ExecStartPost|ExecReload|ExecStop|CanReload|CanStart|CanStop|Delegate|KillMode|WatchdogUSec|AssertResult|ConditionTimestamp|TimersCalendar|TimersMonotonic|EffectiveCPUs|EffectiveMemoryMax|CPUQuotaPerSecUSec|CPUWeight|RuntimeMaxUSec|ActiveEnterTimestampMonotonic|IPAddressDeny|IPAddressAllow|RemainAfterExit|LimitMEMLOCK|LimitNPROC|StartLimitBurst|StartLimitIntervalUSec|Following|Transient|Job|StandardOutput)(?:,(?!$)|$))+$/
const calendar = /^[\w*][\w *.,:/~-]*$/
const units: Grammar = { rest: unit }
const someUnits: Grammar = { rest: unit, min: 1 }
const powers =
  'reboot poweroff halt kexec suspend hibernate rescue emergency isolate soft-reboot exit switch-root default'.split(
    ' ',
  )
/** Programs of systemd: units, logs, time, names. */
export const servicePrograms: Readonly<Record<string, Grammar>> = {
  systemctl: {
    shared: true,
    flags: 'alqr',
    words: long(
      'no-pager all full no-legend plain quiet failed recursive reverse with-dependencies value user system version no-ask-password',
    ),
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
      'list-dependencies': { words: ['--after', '--before', '--reverse'], rest: unit },
      'list-jobs': none,
      'list-automounts': units,
      'list-machines': none,
      'list-paths': units,
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
    deniedSubs: {
      ...Object.fromEntries(powers.map((verb) => [verb, 'ends what runs on the node'])),
      edit: 'starts an editor',
      'show-environment': 'shows variables, which hold secrets',
    },
  },
  journalctl: {
    flags: 'krxqamelN',
    words: long(
      'no-pager reverse catalog quiet all merge dmesg list-boots disk-usage utc no-hostname pager-end header system user no-tail show-cursor version fields',
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
      '-T': word,
      '--exclude-identifier': word,
      '--invocation': /^-?\d{1,4}$/,
      '-g': text,
      '--grep': text,
      '-o': /^[a-z-]+$/,
      '--output': /^[a-z-]+$/,
      '--output-fields': /^[A-Z_,]+$/,
      '--facility': list,
      '-F': /^_?[A-Z][A-Z0-9_]*$/,
      '--field': /^_?[A-Z][A-Z0-9_]*$/,
      '--case-sensitive': /^(?:true|false)$/,
    },
    optional: {
      '-b': /^(?:-?\d{1,4}|[+]\d{1,4}|[\da-f]{32}|all)$/,
      '--boot': /^(?:-?\d{1,4}|[\da-f]{32}|all)$/,
      '-n': /^(?:\+?\d{1,6}|all)$/,
      '--lines': /^(?:\+?\d{1,6}|all)$/,
    },
    rest: /^_?[A-Z][A-Z0-9_]*=/,
    denied: {
      '-f': 'wait for more and never end',
      '--follow': 'wait for more and never end',
      '--no-full': 'cut what it shows, and half a secret looks like none',
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
  // `service NAME status` is allowed, because with systemd it runs `systemctl status`.
  service: { operands: [/^[A-Za-z0-9][\w@.-]*$/, /^status$/], min: 2 },
  'systemd-analyze': {
    words: ['--no-pager'],
    shared: true,
    sub: {
      time: none,
      blame: none,
      'critical-chain': units,
      security: units,
      calendar: { rest: calendar, min: 1 },
      timespan: { rest: calendar, min: 1 },
    },
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
    sub: { status: none, show: none, 'timesync-status': none, 'show-timesync': none, 'list-timezones': none },
    subOptional: true,
  },
  hostnamectl: { words: ['--no-pager'], shared: true, sub: { status: none }, subOptional: true },
  loginctl: {
    words: ['--no-pager', '--no-legend'],
    shared: true,
    sub: {
      'list-sessions': none,
      'list-users': none,
      'session-status': { operands: [word] },
      'user-status': { operands: [word] },
    },
    subOptional: true,
  },
  resolvectl: {
    words: ['--no-pager'],
    shared: true,
    sub: { status: { rest: interfaceName }, statistics: none, dns: none, query: { operands: [host], min: 1 } },
    subOptional: true,
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
    sub: {
      tracking: none,
      sources: { flags: 'va' },
      sourcestats: { flags: 'va' },
      activity: none,
      clients: none,
      serverstats: none,
      ntpdata: { operands: [host] },
    },
  },
  crontab: { words: ['-l'], values: { '-u': word }, needs: [['-l']] },
  localectl: { sub: { status: none }, subOptional: true },
}
