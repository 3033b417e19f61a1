import type { Grammar } from '../grammar.ts'
import { device, list, number, size, text, word } from '../patterns.ts'

const long = (names: string) => names.split(' ').map((name) => `--${name}`)
const none: Grammar = {}

const smartLogs =
  /^(?:error|selftest|xerror|xselftest|selective|directory|background|devstat|ssd|scttemp|scttempsts|scttemphist|scterc|sataphy|farm|genstats)$/
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

/**
 * Options of hdparm that only read. `-W` shows the write cache. A number after it would switch the cache; such a number is refused, because it is
 * not a device.
 */
const identity = ['-I', '-i', '-C', '-g', '-W', '-B']
const sizes = long('getsize64 getsz getss getbsz getra getro getpbsz report')
const tables = ['-l', '--list', '-J', '--json', '-d', '--dump']

/** Programs that show disks, their content and their mounts. */
export const diskPrograms: Readonly<Record<string, Grammar>> = {
  df: {
    dashDash: true,
    flags: 'hTiklmaPH',
    words: long('human-readable print-type inodes all local portability si total no-sync'),
    values: { '-t': word, '--type': word, '-x': word, '--exclude-type': word, '-B': size, '--block-size': size },
    optional: { '--output': /^[a-z,]+$/ },
    rest: 'path',
  },
  lsblk: {
    flags: 'fabdJplmtnSOPrsDzNiMV',
    words: long(
      'fs all bytes nodeps json paths list topology noheadings scsi output-all pairs raw inverse discard perms merge zoned tree version',
    ),
    values: { '-o': list, '--output': list, '-e': list, '-I': list, '-x': word, '--sort': word },
    rest: device,
  },
  blkid: { values: { '-o': /^(?:full|value|list|device|udev|export)$/, '-s': word }, rest: device },
  smartctl: {
    flags: 'aiHxAcj',
    words: [...long('all info health xall attributes capabilities scan scan-open version'), '-V'],
    values: {
      '-d': /^(?:auto|ata|scsi|nvme(?:,\w+)?|sat(?:,\w+)*|usb\w+|megaraid,\d+|cciss,\d+|areca,[\d/]+|3ware,\d+|aacraid,[\d,]+)$/,
      '--device': /^(?:auto|ata|scsi|nvme|sat|megaraid,\d+|cciss,\d+)$/,
      '-l': smartLogs,
      '--log': smartLogs,
      '-n': /^(?:never|sleep|standby|idle)(?:,\d+)?$/,
      '-f': /^(?:old|brief|hex)$/,
      '-g': /^[a-z,]+$/,
      '--get': /^[a-z,]+$/,
      '-q': /^(?:errorsonly|silent|noserial)$/,
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
      'self-test-log': nvme,
      'list-ns': nvme,
      'effects-log': nvme,
      version: none,
    },
  },
  hdparm: { words: identity, rest: device, min: 1, needs: [identity] },
  fdisk: { words: ['-l', '--list'], needs: [['-l', '--list']], rest: device },
  sfdisk: { words: tables, needs: [tables], rest: device },
  sgdisk: {
    words: ['-p', '--print'],
    values: { '-i': number, '--info': number },
    operands: [device],
    min: 1,
    needs: [['-p', '--print', '-i', '--info']],
  },
  // -s is required: without it parted asks questions, and may repair the partition table that it reads.
  parted: {
    words: ['-s', '--script', '-l', '--list', '-m'],
    operands: [device, /^print$/, /^(?:free|all)$/],
    needs: [['-s', '--script']],
    check: ({ options, operands }) =>
      options.has('-l') || options.has('--list') || operands.length > 1
        ? undefined
        : 'parted must be given -l or print.',
  },
  partx: { words: ['-s', '--show'], operands: [device], min: 1, needs: [['-s', '--show']] },
  blockdev: { words: sizes, rest: device, needs: [sizes] },
  losetup: { words: ['-a', '-l', '--all', '--list'] },
  wipefs: { words: ['-n', '--no-act'], rest: device, min: 1, needs: [['-n', '--no-act']] },
  dumpe2fs: { words: ['-h'], operands: [device], min: 1, needs: [['-h']] },
  xfs_info: { operands: ['path'], min: 1 },
  lvscan: none,
  vgscan: none,
  pvscan: none,
  lsscsi: { flags: 'gstlLdHk' },
  multipath: { words: ['-l', '-ll'], needs: [['-l', '-ll']], operands: [word] },
  iscsiadm: {
    values: { '-m': /^session$/, '--mode': /^session$/, '-P': /^[0-3]$/ },
    needs: [['-m', '--mode']],
  },
  dmsetup: {
    sub: {
      table: none,
      ls: { words: ['--tree'] },
      status: { operands: [word] },
      info: { words: ['-c'], operands: [word] },
    },
  },
  mdadm: {
    words: ['--detail', '-D', '--detail-platform', '--scan', '-s', '--examine', '-E', '--query', '-Q', '--version'],
    needs: [['--detail', '-D', '--detail-platform', '--examine', '-E', '--query', '-Q', '--version']],
    rest: device,
  },
  pvs: lvm,
  vgs: lvm,
  lvs: lvm,
  pvdisplay: lvmDisplay,
  vgdisplay: lvmDisplay,
  lvdisplay: lvmDisplay,
  mount: { flags: 'lv', values: { '-t': list } },
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
    denied: { '-p': 'repeat and never end', '--poll': 'repeat and never end' },
  },
  swapon: {
    flags: 's',
    words: ['--summary', '--noheadings', '--bytes'],
    optional: { '--show': list },
    needs: [['-s', '--show', '--summary']],
  },
}
