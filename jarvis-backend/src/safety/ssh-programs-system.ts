import type { Grammar } from './ssh-grammar.ts'
import { color, device, format, list, number, seconds, size, text, times, when, word } from './ssh-patterns.ts'
import { judgePs } from './ssh-ps.ts'

const long = (names: string) => names.split(' ').map((name) => `--${name}`)
const endless = 'repeat and never end'
const none: Grammar = {}

/** One number alone would repeat for ever; two are an interval and a count. */
const repeats = (operands: readonly string[]): string | undefined => {
  const numbers = operands.filter((operand) => number.test(operand))
  const [interval, count] = numbers
  if (interval === undefined) return undefined
  if (count === undefined) return 'An interval without a count never ends; give both.'
  if (numbers.length > 2 || !seconds.test(interval) || !times.test(count)) return 'At most 10 times, at most 5 s apart.'
  return operands.slice(-2).join() === numbers.join() ? undefined : 'The interval and the count come last.'
}
const sampler = (flags: string, values: Record<string, RegExp> = {}): Grammar => ({
  flags,
  values,
  rest: /^[A-Za-z0-9]\w*$/,
  check: ({ operands }) => repeats(operands),
  denied: { '-o': 'write a file', '-f': 'read another file' },
})

const smartLogs =
  /^(?:error|selftest|xerror|xselftest|selective|directory|background|devstat|ssd|scttemp|scttempsts|scttemphist|scterc)$/
const lvm: Grammar = {
  flags: 'av',
  words: long('all noheadings segments nosuffix'),
  values: {
    '-o': list,
    '--options': list,
    '--units': /^[a-zA-Z]$/,
    '-O': list,
    '--sort': list,
    '--reportformat': word,
  },
  rest: /^[A-Za-z0-9/][\w./+-]*$/,
}
const lvmDisplay: Grammar = { flags: 'cmv', rest: /^[A-Za-z0-9/][\w./+-]*$/ }
const nvme: Grammar = {
  words: ['-H', '--human-readable'],
  values: { '-o': /^(?:normal|json)$/, '--output-format': /^(?:normal|json)$/, '-e': number, '--log-entries': number },
  operands: [device],
}

const cpus = /^(?:ALL|\d[\d,-]*)$/
const clock = /^\d\d:\d\d(?::\d\d)?$/
const packageName = /^[A-Za-z0-9][\w.+:-]*$/
const somePackages: Grammar = { rest: packageName, min: 1 }
const packageChanges = Object.fromEntries(
  'install remove purge upgrade full-upgrade dist-upgrade autoremove reinstall satisfy'
    .split(' ')
    .map((verb) => [verb, 'changes packages']),
)
const queries =
  '-l -s -L -S -V -C --list --status --listfiles --search --verify --audit --print-architecture --get-selections'.split(
    ' ',
  )

/** Programs that tell about the machine: load, memory, disks, hardware, users. */
export const systemPrograms: Readonly<Record<string, Grammar>> = {
  df: {
    dashDash: true,
    flags: 'hTiklmaPH',
    words: long('human-readable print-type inodes all local portability si total no-sync'),
    values: { '-t': word, '--type': word, '-x': word, '--exclude-type': word, '-B': size, '--block-size': size },
    optional: { '--output': /^[a-z,]+$/ },
    rest: 'path',
  },
  free: {
    flags: 'bkmghtwlv',
    words: long('bytes kilo mega giga kibi mebi gibi human total wide lohi si'),
    denied: { '-s': endless, '--seconds': endless },
  },
  uptime: { flags: 'ps', words: long('pretty since') },
  top: {
    flags: 'bcHiS1',
    values: {
      ...{ '-n': times, '-d': seconds, '-o': /^[+-]?[%A-Za-z]+$/, '-p': /^\d[\d,]*$/, '-u': word, '-U': word },
      ...{ '-E': /^[kmgtpe]$/, '-e': /^[kmgtp]$/ },
    },
    optional: { '-w': /^\d{1,3}$/ },
    needs: [['-b'], ['-n']],
  },
  ps: { judge: judgePs },
  pgrep: { flags: 'alfxnoci', values: { '-u': word, '-U': word, '-P': number, '-d': text }, operands: [text] },
  ...{ ipcs: { flags: 'amqstplu' }, lslocks: { flags: 'urn', values: { '-o': list, '-p': number } } },
  pidof: { flags: 's', rest: word, min: 1 },
  pstree: { flags: 'palunscAthT', operands: [word] },
  uname: { flags: 'arsnmvpio', words: long('all kernel-release machine') },
  hostname: {
    flags: 'fiIsdAy',
    words: long('fqdn long ip-address all-ip-addresses short domain'),
    denied: { '-F': 'set the name from a file', '--file': 'set the name from a file', '-b': 'set the name' },
  },
  arch: none,
  whoami: none,
  groups: { rest: word },
  id: { flags: 'ugnGrz', words: long('user group groups name real'), rest: word },
  getconf: { flags: 'a', operands: [word] },
  nproc: { words: ['--all'], values: { '--ignore': number } },
  lscpu: { flags: 'apJbCyB', words: long('all json caches bytes'), optional: { '-e': list, '--extended': list } },
  lsmem: { flags: 'abJnr', words: long('all bytes json summary'), values: { '-o': list } },
  lspci: {
    flags: 'vknmtD',
    values: { '-s': /^[\da-fA-F:.*]+$/, '-d': /^[\da-fA-F:*]+$/ },
    denied: { '-x': 'read registers that can hang a device', '-O': 'set options', '-A': 'touch the hardware' },
  },
  lsusb: { flags: 'vt', values: { '-s': /^[\d:]+$/, '-d': /^[\da-fA-F:]+$/ } },
  lsmod: none,
  modinfo: { values: { '-F': word }, rest: word, min: 1 },
  lsirq: none,
  lshw: {
    words: ['-short', '-json', '-businfo', '-quiet', '-sanitize', '-numeric'],
    values: { '-class': word, '-C': word, '-c': word },
    denied: { '-X': 'open a window', '-dump': 'write a file' },
  },
  dmidecode: {
    flags: 'q',
    words: ['--quiet'],
    values: { '-t': list, '--type': list, '-s': word, '--string': word },
    denied: { '--dump-bin': 'write a file', '-d': 'read another device' },
  },
  lsblk: {
    flags: 'fabdJplmtnSOPrsDzN',
    words: long(
      'fs all bytes nodeps json paths list topology noheadings scsi output-all pairs raw inverse discard perms merge zoned',
    ),
    values: { '-o': list, '--output': list, '-e': list, '-I': list, '-x': word, '--sort': word },
    rest: device,
  },
  blkid: { values: { '-o': /^(?:full|value|list|device|udev|export)$/, '-s': word }, rest: device },
  smartctl: {
    flags: 'aiHxAcj',
    words: long('all info health xall attributes capabilities scan scan-open'),
    values: {
      '-d': /^(?:auto|ata|scsi|nvme(?:,\w+)?|sat(?:,\w+)*|usb\w+|megaraid,\d+|cciss,\d+|areca,[\d/]+|3ware,\d+|aacraid,[\d,]+)$/,
      '--device': /^(?:auto|ata|scsi|nvme|sat|megaraid,\d+|cciss,\d+)$/,
      '-l': smartLogs,
      '--log': smartLogs,
      '-n': /^(?:never|sleep|standby|idle)(?:,\d+)?$/,
      '-f': /^(?:old|brief|hex)$/,
    },
    optional: { '--json': /^[a-z]+$/ },
    operands: [device],
    denied: {
      '-s': 'switch features',
      '--smart': 'switch features',
      '--set': 'change settings',
      '-t': 'start a test',
      '--test': 'start a test',
      '-X': 'stop a test',
      '-o': 'switch features',
      '-S': 'switch features',
      '-B': 'read another file',
    },
  },
  nvme: {
    sub: {
      list: { ...nvme, flags: 'v' },
      'list-subsys': nvme,
      'smart-log': nvme,
      'error-log': nvme,
      'id-ctrl': nvme,
      'id-ns': nvme,
      'fw-log': nvme,
      version: none,
    },
  },
  hdparm: { words: ['-I', '-i', '-C', '-g'], rest: device, min: 1, needs: [['-I', '-i', '-C', '-g']] },
  lsscsi: { flags: 'gstlLdHk' },
  multipath: { words: ['-l', '-ll'], needs: [['-l', '-ll']], operands: [word] },
  iscsiadm: {
    values: { '-m': /^session$/, '--mode': /^session$/, '-P': /^[0-2]$/ },
    needs: [['-m', '--mode']],
  },
  dmsetup: {
    sub: { ls: { words: ['--tree'] }, status: { operands: [word] }, info: { words: ['-c'], operands: [word] } },
  },
  efibootmgr: { words: ['-v'] },
  ipmitool: {
    sub: {
      ...{ sensor: { sub: { list: none }, subOptional: true }, fru: { sub: { print: none }, subOptional: true } },
      sdr: { sub: { list: { operands: [word] }, type: { operands: [word] }, elist: none }, subOptional: true },
      sel: { sub: { list: { operands: [number] }, elist: { operands: [number] }, info: none } },
      chassis: { sub: { status: none } },
      power: { sub: { status: none } },
      mc: { sub: { info: none } },
    },
  },
  hwclock: { words: ['--show', '-r', '--verbose', '-v'] },
  sensors: {
    flags: 'Ajuf',
    operands: [/^[A-Za-z0-9][\w-]*$/],
    denied: { '-s': 'change limits', '--set': 'change limits', '-c': 'read another file' },
  },
  mdadm: {
    words: ['--detail', '-D', '--detail-platform', '--scan', '-s'],
    needs: [['--detail', '-D', '--detail-platform']],
    rest: device,
  },
  pvs: lvm,
  vgs: lvm,
  lvs: lvm,
  pvdisplay: lvmDisplay,
  vgdisplay: lvmDisplay,
  lvdisplay: lvmDisplay,
  mount: { flags: 'l', values: { '-t': list } },
  findmnt: {
    flags: 'lJDRnikmsaAPr',
    words: long('list json df noheadings real raw pairs all'),
    values: {
      '-t': list,
      '-o': list,
      '--types': list,
      '--output': list,
      '-T': 'path',
      '--target': 'path',
      '-S': text,
      '-M': 'path',
    },
    rest: text,
    denied: { '-p': endless, '--poll': endless },
  },
  swapon: {
    flags: 's',
    words: ['--show', '--summary', '--noheadings', '--bytes'],
    needs: [['-s', '--show', '--summary']],
  },
  zramctl: { words: ['--output-all', '--bytes', '--raw'] },
  vmstat: sampler('sdamwtnD', { '-S': /^[kKmM]$/, '-p': word }),
  iostat: sampler('xdkmchtyzNs', { '-p': word }),
  mpstat: sampler('uAn', { '-P': cpus }),
  sar: sampler('urqbBdSWvwyAhpzHF', {
    ...{ '-n': /^[A-Z][A-Z\d,]*$/, '-P': cpus, '-I': /^(?:SUM|ALL|\d+)$/, '-m': /^[A-Z,]+$/ },
    ...{ '-s': clock, '-e': clock },
  }),
  pidstat: {
    ...sampler('udrwhlstHRv', { '-p': /^(?:ALL|SELF|\d[\d,]*)$/, '-C': word, '-T': /^(?:TASK|CHILD|ALL)$/ }),
    denied: { '-e': 'run programs' },
  },
  iotop: { flags: 'boPakqt', values: { '-n': times, '-d': seconds }, needs: [['-b'], ['-n']] },
  slabtop: { words: ['-o', '--once'], values: { '-s': /^[a-z]$/ }, needs: [['-o', '--once']] },
  numastat: { flags: 'mnscz' },
  numactl: { words: ['-H', '--hardware', '-s', '--show'], needs: [['-H', '--hardware', '-s', '--show']] },
  w: { flags: 'hsiofu', operands: [word] },
  who: { flags: 'abrHqumtTds', words: long('all boot heading count runlevel') },
  users: none,
  lastlog: { values: { '-u': word, '-t': number, '-b': number } },
  last: {
    numeric: true,
    flags: 'xFiadwR',
    values: { '-n': number, '-s': when, '--since': when, '-t': when, '--until': when },
    rest: word,
    denied: { '-f': 'read another file', '--file': 'read another file' },
  },
  dmesg: {
    flags: 'TkuxtrLdeJP',
    words: long('ctime kernel userspace decode notime raw reltime nopager show-delta json'),
    values: { '-l': list, '--level': list, '-f': list, '--facility': list, '--since': when, '--until': when },
    optional: { '--color': color },
    denied: {
      '-C': 'clear the log',
      '--clear': 'clear the log',
      '-c': 'clear the log after reading',
      '--read-clear': 'clear the log after reading',
      '-w': 'wait for more and never end',
      '--follow': 'wait for more and never end',
      '-W': 'wait for more and never end',
      '-n': 'change what the console shows',
      '--console-level': 'change what the console shows',
      '-D': 'switch the console off',
      '-E': 'switch the console on',
      '-F': 'read another file',
      '-H': 'start a pager',
    },
  },
  sysctl: {
    flags: 'aneN',
    words: long('all values names'),
    // A slash would let the name climb out of /proc/sys.
    rest: /^[a-z][\w.-]*$/,
    denied: {
      '-w': 'change the kernel',
      '--write': 'change the kernel',
      '-p': 'load settings',
      '--system': 'load settings',
    },
  },
  'nvidia-smi': {
    words: ['-L', '-q', '-x', '--list-gpus', '--query', '--xml-format', '--version'],
    values: {
      '-d': /^[A-Z_,]+$/,
      '--display': /^[A-Z_,]+$/,
      '-i': /^[\w:.,-]+$/,
      '--id': /^[\w:.,-]+$/,
      '--query-gpu': /^[\w.,]+$/,
      '--query-compute-apps': /^[\w.,]+$/,
      '--format': /^csv(?:,(?:noheader|nounits))*$/,
    },
    denied: {
      '-l': endless,
      '--loop': endless,
      '-f': 'write a file',
      '-pm': 'change settings',
      '-pl': 'change settings',
      '-r': 'reset the card',
    },
  },
  dpkg: {
    words: queries,
    needs: [queries],
    rest: /^[A-Za-z0-9/*][\w.+:/*@-]*$/,
  },
  'dpkg-query': {
    words: ['-W', '-l', '-s', '-L', '--show', '--list'],
    values: { '-f': format, '--showformat': format },
    needs: [['-W', '-l', '-s', '-L', '--show', '--list']],
    rest: /^[A-Za-z0-9*][\w.+:*-]*$/,
  },
  apt: {
    sub: {
      list: {
        words: ['--installed', '--upgradable', '--upgradeable', '-a', '--all-versions'],
        rest: /^[A-Za-z0-9*][\w.+:*-]*$/,
      },
      show: { words: ['-a'], rest: /^[A-Za-z0-9][\w.+:-]*$/, min: 1 },
      policy: { rest: packageName },
      search: { words: ['-n', '--names-only'], rest: text, min: 1 },
      ...{ depends: somePackages, rdepends: somePackages },
    },
    denied: { '-o': 'run programs', '-c': 'read other settings' },
    deniedSubs: packageChanges,
  },
  'apt-get': {
    words: ['-s', '--simulate', '--dry-run', '--just-print', '-V', '--verbose-versions'],
    shared: true,
    needs: [['-s', '--simulate', '--dry-run', '--just-print']],
    sub: {
      ...{ upgrade: none, 'dist-upgrade': none, autoremove: none },
      ...{ install: somePackages, remove: somePackages },
    },
    denied: { '-o': 'run programs', '-c': 'read other settings' },
  },
  'apt-cache': {
    sub: {
      ...{ policy: { rest: packageName }, show: somePackages, madison: somePackages, stats: none },
      ...{ depends: somePackages, rdepends: somePackages },
      search: { words: ['-n', '--names-only'], rest: text, min: 1 },
    },
    denied: { '-o': 'run programs', '-c': 'read other settings' },
  },
  lsb_release: { flags: 'aidcrs' },
  runlevel: none,
  'apt-mark': { sub: { showhold: none, showmanual: none, showauto: none } },
  mailq: none,
  postqueue: { words: ['-p'], needs: [['-p']] },
  openssl: {
    sub: {
      version: { words: ['-a'] },
      // Of a file with a key in it, only the certificate is told.
      x509: {
        words: '-noout -dates -enddate -startdate -subject -issuer -text -fingerprint -serial -sha256'.split(' '),
        values: { '-in': /^\/(?:etc|root|home|opt|srv|usr|var)\/[\w./@ -]+$/ },
        needs: [['-in'], ['-noout']],
      },
    },
  },
}
