import type { Grammar } from '../grammar.ts'
import { list, number, word } from '../patterns.ts'

const none: Grammar = {}
const image = /^[A-Za-z0-9][\w./@:-]*$/
const pool = /^[A-Za-z][\w.:-]*$/
const dataset = /^[A-Za-z][\w.:/@-]*$/
const repeat = 'An interval without a count never ends; give both, at most 5 s and 10 times.'
const zfsListing: Grammar = {
  flags: 'Hprj',
  values: { '-d': number, '-t': list, '-o': list, '-s': word, '-S': word },
  rest: dataset,
}
const cephFormat: Grammar = {
  values: { '-f': /^(?:plain|json|json-pretty)$/, '--format': /^(?:plain|json|json-pretty)$/ },
}

const onePath: Grammar = { flags: 'v', operands: ['path'], min: 1 }
const filesystem: Grammar = {
  sub: {
    show: { rest: 'path' },
    usage: { flags: 'hbTkmg', rest: 'path', min: 1 },
    df: { flags: 'hb', rest: 'path', min: 1 },
  },
}
const device: Grammar = { sub: { stats: { operands: ['path'], min: 1 } } }
const subvolume: Grammar = {
  sub: { list: { flags: 'apgcqusrt', operands: ['path'], min: 1 }, show: { operands: ['path'], min: 1 } },
}

/** Programs of ZFS, Ceph, btrfs and file shares. */
export const storagePrograms: Readonly<Record<string, Grammar>> = {
  zpool: {
    sub: {
      status: {
        flags: 'vxstPLDgpej',
        rest: pool,
        denied: { '-c': 'run programs' },
      },
      list: { flags: 'HvpPLgj', values: { '-o': list, '-T': /^[du]$/ }, rest: pool },
      // No operand is allowed: `zpool upgrade POOL` would change the pool.
      upgrade: { flags: 'v' },
      iostat: {
        flags: 'vylqrwHpPLgn',
        rest: /^[A-Za-z0-9][\w.:-]*$/,
        denied: { '-c': 'run programs' },
        check: ({ operands }) => {
          const numbers = operands.filter((operand) => /^\d/.test(operand))
          if (numbers.length === 0) return undefined
          const isBounded =
            numbers.length === 2 && /^[1-5]$/.test(numbers[0] ?? '') && /^(?:[1-9]|10)$/.test(numbers[1] ?? '')
          return isBounded ? undefined : repeat
        },
      },
      get: { flags: 'Hp', values: { '-o': list }, operands: [/^[A-Za-z][\w@:.,-]*$/], rest: pool, min: 1 },
      history: { flags: 'il', rest: pool },
      events: {
        flags: 'vH',
        operands: [pool],
        denied: { '-f': 'wait for more and never end', '-c': 'clear the events' },
      },
      version: none,
    },
  },
  zfs: {
    sub: {
      list: zfsListing,
      get: { ...zfsListing, operands: [list], min: 1 },
      mount: none,
      upgrade: { flags: 'v' },
      holds: { flags: 'rH', rest: dataset, min: 1 },
      userspace: { flags: 'np', operands: [dataset], min: 1 },
      version: none,
    },
  },
  arcstat: {
    operands: [/^[1-5]$/, /^(?:[1-9]|10)$/],
    check: ({ operands }) => (operands.length === 1 ? repeat : undefined),
  },
  arc_summary: { words: ['-g', '-d', '-r'], values: { '-s': word } },
  ceph: {
    ...cephFormat,
    shared: true,
    words: ['-s', '--status', '-v', '--version'],
    subOptional: true,
    check: ({ options }) =>
      ['-s', '--status', '-v', '--version'].some((option) => options.has(option))
        ? undefined
        : 'ceph alone opens a prompt.',
    sub: {
      status: none,
      health: { operands: [/^detail$/] },
      df: { operands: [/^detail$/] },
      versions: none,
      quorum_status: none,
      osd: {
        sub: {
          tree: none,
          status: none,
          utilization: none,
          dump: none,
          'blocked-by': none,
          find: { operands: [number] },
          crush: { sub: { tree: none, rule: { sub: { ls: none, dump: { operands: [word] } } } } },
          lspools: none,
          versions: none,
          metadata: { operands: [number] },
          'ok-to-stop': { rest: number, min: 1 },
          'safe-to-destroy': { rest: number, min: 1 },
          df: { operands: [/^tree$/] },
          stat: none,
          perf: none,
          ls: none,
          pool: {
            sub: {
              ls: { operands: [/^detail$/] },
              stats: { operands: [word] },
              'autoscale-status': none,
              get: { operands: [word, word], min: 2 },
            },
          },
        },
      },
      mon: { sub: { stat: none, dump: none, versions: none } },
      mds: { sub: { stat: none } },
      mgr: { sub: { stat: none, dump: none, services: none, module: { sub: { ls: none } } } },
      pg: {
        sub: { stat: none, dump: { operands: [word] }, ls: { operands: [word] }, dump_stuck: { operands: [word] } },
      },
      fsid: none,
      features: none,
      'time-sync-status': none,

      balancer: { sub: { status: none } },
      device: { sub: { ls: none, info: { operands: [word], min: 1 }, 'ls-by-host': { operands: [word], min: 1 } } },
      crash: { sub: { ls: none, 'ls-new': none, stat: none, info: { operands: [word], min: 1 } } },
      progress: none,
      node: { sub: { ls: none } },
      log: { sub: { last: { operands: [/^\d{1,4}$/, word, word] } } },
      fs: { sub: { ls: none, status: { operands: [word] } } },
    },
    denied: {
      '-w': 'wait for more and never end',
      '-o': 'write a file',
      '-i': 'read another file',
      '-W': 'wait for more',
    },
  },
  rbd: {
    ...cephFormat,
    shared: true,
    values: { ...cephFormat.values, '-p': word, '--pool': word },
    sub: {
      ls: { flags: 'l', words: ['--long'], operands: [word] },
      list: { flags: 'l', operands: [word] },
      info: { operands: [image], min: 1 },
      status: { operands: [image], min: 1 },
      du: { operands: [image] },
      snap: { sub: { ls: { operands: [image], min: 1 } } },

      showmapped: none,
      device: { sub: { list: none, ls: none } },
      pool: { sub: { stats: { operands: [word] } } },
      trash: { sub: { ls: { operands: [word] } } },
      lock: { sub: { ls: { operands: [image], min: 1 } } },
    },
  },
  rados: { ...cephFormat, shared: true, sub: { df: none, lspools: none } },
  'ceph-volume': { sub: { lvm: { sub: { list: none } } } },
  exportfs: { words: ['-v', '-s'] },
  showmount: { words: ['-e', '-a', '-d', '--exports', '--no-headers'], operands: [/^[A-Za-z0-9][\w.:-]*$/] },
  smbstatus: { words: ['-b', '-p', '-S', '-L', '--shares', '--processes', '--locks', '--brief'] },
  testparm: { words: ['-s', '-v'], needs: [['-s']] },
  // `-w` is left out, because it would show password hashes.
  pdbedit: { words: ['-L', '--list'], needs: [['-L', '--list']] },
  quota: { words: ['-s'], values: { '-u': word } },
  repquota: { flags: 'asugv', rest: 'path' },
  btrfs: {
    words: ['--version'],
    subOptional: true,
    check: ({ options }) => (options.has('--version') ? undefined : 'btrfs needs a sub-command that only reads.'),
    sub: {
      filesystem,
      fi: filesystem,
      device,
      dev: device,
      subvolume,
      sub: subvolume,
      su: subvolume,
      scrub: { sub: { status: onePath } },
      balance: { sub: { status: onePath } },
      qgroup: { sub: { show: { flags: 'pcre', operands: ['path'], min: 1 } } },
    },
  },
}
