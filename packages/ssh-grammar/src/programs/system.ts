import type { Grammar } from '../grammar.ts'
import { color, list, number, text, when, word } from '../patterns.ts'

const long = (names: string) => names.split(' ').map((name) => `--${name}`)
const endless = 'repeat and never end'
const none: Grammar = {}

const someSensors: Grammar = { rest: /^[A-Za-z0-9+][\w .+/()-]*$/, min: 1 }
/** Folders of /proc/sys that contain a key. */
const holdsKeys = /^net(?:\.ipv4|\.ipv6(?:\.conf(?:\.[^.]+)?)?)?$/

/** Programs that show the machine: hardware, kernel, accounts. */
export const systemPrograms: Readonly<Record<string, Grammar>> = {
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
  lscpu: {
    flags: 'apJbCyBx',
    words: long('all json caches bytes'),
    optional: { '-e': list, '--extended': list, '--parse': list },
  },
  lsmem: { flags: 'abJnr', words: long('all bytes json summary'), values: { '-o': list } },
  lspci: {
    flags: 'vknmtDbP',
    values: { '-s': /^[\da-fA-F:.*]+$/, '-d': /^[\da-fA-F:*]+$/ },
    denied: {
      '-x': 'read registers that can hang a device',
      '-O': 'set options',
      '-q': 'ask the network',
      '-Q': 'ask the network',
      '-A': 'touch the hardware',
    },
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
  efibootmgr: { words: ['-v'] },
  ipmitool: {
    sub: {
      sensor: { sub: { list: none, get: someSensors, reading: someSensors }, subOptional: true },
      fru: { sub: { print: none }, subOptional: true },
      sdr: {
        sub: { list: { operands: [word] }, type: { operands: [word] }, elist: { operands: [word] } },
        subOptional: true,
      },
      dcmi: { sub: { power: { sub: { reading: none } } } },
      sel: {
        sub: {
          list: { operands: [/^(?:\d{1,5}|last|first)$/, number] },
          elist: { operands: [/^(?:\d{1,5}|last|first)$/, number] },
          info: none,
        },
      },
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
    flags: 'TkuxtrLdeJPS',
    words: long('ctime kernel userspace decode notime raw reltime nopager show-delta json'),
    values: {
      '-l': list,
      '--level': list,
      '-f': list,
      '--facility': list,
      '--since': when,
      '--until': when,
      '--time-format': word,
    },
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
    // No slash is allowed, because it could lead out of /proc/sys.
    values: { '-r': text, '--pattern': text },
    rest: /^(?!.*(?:fastopen_key|stable_secret))[a-z][\w.-]*$/,
    check: ({ options, operands }) =>
      ['-n', '--values'].some((option) => options.has(option)) &&
      (['-a', '--all', '-r', '--pattern'].some((option) => options.has(option)) ||
        operands.some((name) => holdsKeys.test(name)))
        ? 'Values without their names could be keys; leave -n out.'
        : undefined,
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
  runlevel: none,
  locale: none,
  mailq: none,
  postqueue: { words: ['-p'], needs: [['-p']] },
  openssl: {
    sub: {
      version: { words: ['-a'] },
      // Only the certificate is shown, even if the file also holds a key.
      x509: {
        words: '-noout -dates -enddate -startdate -subject -issuer -text -fingerprint -serial -sha256'.split(' '),
        values: { '-in': /^\/(?:etc|root|home|opt|srv|usr|var)\/[\w./@ -]+$/ },
        needs: [['-in'], ['-noout']],
      },
    },
  },
  upsc: { words: ['-l', '-L'], operands: [/^[A-Za-z0-9][\w.@:-]*$/, /^[a-z][\w.]*$/] },
  apcaccess: { sub: { status: none }, subOptional: true },
  lsns: { values: { '-t': word, '-p': number } },
  lsipc: none,
  lslogins: { flags: 'u' },
  dkms: { sub: { status: none } },
  lastb: { numeric: true, flags: 'xFiadwR', values: { '-n': number }, rest: word },
  cpupower: { sub: { 'frequency-info': none, 'idle-info': none } },
  pg_lsclusters: none,
  pihole: { sub: { status: none, version: none } },
  nginx: { words: ['-v', '-V'], needs: [['-v', '-V']] },
  postconf: { words: ['-n', '-d'], rest: /^[a-z][a-z0-9_]*$/ },
}
