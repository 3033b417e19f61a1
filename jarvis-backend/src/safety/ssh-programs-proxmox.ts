import type { Grammar } from './ssh-grammar.ts'
import { list, number, vmid, word } from './ssh-patterns.ts'

const none: Grammar = {}
const node = '[A-Za-z0-9][A-Za-z0-9-]*'

/** What changes a guest, and the tool that knows what it is and what depends on it. */
const guestChanges = (type: 'vm' | 'container'): Record<string, string> => ({
  start: `starts a guest; use start_${type}`,
  ...Object.fromEntries(['stop', 'shutdown'].map((verb) => [verb, `stops a guest; use stop_${type}`])),
  ...Object.fromEntries(['reboot', 'reset'].map((verb) => [verb, `restarts a guest; use restart_${type}`])),
  ...Object.fromEntries(['exec', 'enter', 'monitor', 'terminal'].map((verb) => [verb, 'acts inside a guest'])),
  unlock: 'takes a lock away that a task may hold; look at its tasks first',
  snapshot: 'changes a guest, and here nothing would look at its locks or its protection',
})
const haChanges = Object.fromEntries(
  'add set remove migrate relocate crm-command groupadd groupset groupremove'
    .split(' ')
    .map((verb) => [verb, 'changes what HA does with guests']),
)
const upid = /^UPID:[\w:@!.-]+$/
const image = /^[A-Za-z0-9][\w./@:-]*$/

const guest = (extra: Grammar): Grammar => ({ operands: [vmid], min: 1, ...extra })
const guestPrograms = {
  list: { words: ['--full'] },
  status: guest({ words: ['--verbose'] }),
  config: guest({ words: ['--current'], values: { '--snapshot': word } }),
  pending: guest({}),
  listsnapshot: guest({}),
}

/** What the API answers about the cluster; accounts, tokens, keys and everything inside a guest stay out. */
const apiPaths = new RegExp(
  `^/?(?:${[
    'version',
    'pools(?:/[\\w-]+)?',
    'cluster/(?:jobs|sdn|sdn/(?:vnets|zones)|mapping/(?:pci|usb|dir)|config/(?:nodes|totem))',
    'storage(?:/[\\w-]+)?',
    'cluster',
    'cluster/(?:status|resources|tasks|log|nextid|options|replication|backup|backup-info/not-backed-up)',
    'cluster/ha(?:/(?:groups|resources|rules|status|status/current|status/manager_status))?',
    'cluster/(?:ceph/(?:status|metadata|flags)|firewall/(?:options|rules|aliases|ipset|groups))',
    'nodes',
    `nodes/${node}`,
    `nodes/${node}/(?:status|services|tasks|storage|network|qemu|lxc|dns|time|version|rrddata|hosts|netstat|replication|syslog|journal|aplinfo)`,
    `nodes/${node}/(?:certificates/info|vzdump/defaults|capabilities/qemu/(?:cpu|machines)|firewall/(?:options|rules|log))`,
    `nodes/${node}/(?:services/[\\w@.-]+/state|network/[\\w.:-]+|storage/[\\w-]+/(?:status|content|rrddata|prunebackups))`,
    `nodes/${node}/(?:disks/(?:list|smart|zfs|lvm|lvmthin|directory)|disks/zfs/[\\w-]+|apt/(?:update|versions)|hardware/(?:pci|usb))`,
    `nodes/${node}/ceph/(?:status|osd|mon|mgr|mds|pool|fs|log|rules)`,
    `nodes/${node}/tasks/UPID:[\\w:@!.-]+/(?:status|log)`,
    `nodes/${node}/(?:qemu|lxc)/\\d{3,9}(?:|/status)`,
    `nodes/${node}/(?:qemu|lxc)/\\d{3,9}/(?:status/current|config|pending|snapshot|rrddata|feature|interfaces|firewall/(?:options|rules))`,
    `nodes/${node}/qemu/\\d{3,9}/agent/(?:info|get-osinfo|get-fsinfo|get-host-name|get-time|get-timezone|get-vcpus|get-users|network-get-interfaces)`,
  ].join('|')})/?$`,
)
const agentReads =
  /^(?:ping|info|get-osinfo|get-fsinfo|get-host-name|get-time|get-timezone|get-vcpus|get-users|network-get-interfaces)$/

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
const output = {
  words: ['--noborder', '--noheader', '--human-readable'],
  values: { '--output-format': /^(?:text|json|json-pretty|yaml)$/ },
}

/** Proxmox's own programs, and the storage below it. */
export const proxmoxPrograms: Readonly<Record<string, Grammar>> = {
  pveversion: { words: ['-v', '--verbose'] },
  pvecm: { sub: { status: none, nodes: none } },
  pvesm: {
    sub: {
      status: { values: { '--storage': word, '--content': list, '--target': word }, words: ['--enabled'] },
      list: { operands: [word], min: 1, values: { '--vmid': vmid, '--content': list } },
      path: { operands: [/^[A-Za-z][\w-]*:[\w./-]+$/], min: 1 },
    },
  },
  pvesh: {
    sub: {
      get: {
        ...output,
        values: {
          ...output.values,
          '--type': /^(?:vm|storage|node|sdn)$/,
          ...{ '--limit': number, '--max': number, '--since': number, '--until': number },
          '--start': number,
          '--vmid': vmid,
          '--storage': word,
          '--content': list,
          '--full': /^[01]$/,
          '--errors': /^[01]$/,
          '--source': /^(?:all|active|archive)$/,
          '--timeframe': /^(?:hour|day|week|month|year)$/,
          '--cf': /^(?:AVERAGE|MAX)$/,
          '--disk': /^\/dev\/[A-Za-z0-9/]+$/,
          '--lastentries': number,
          '--service': word,
        },
        operands: [apiPaths],
        min: 1,
      },
      ls: { operands: [apiPaths], min: 1 },
    },
  },
  pveam: { sub: { available: { values: { '--section': word } }, list: { operands: [word], min: 1 } } },
  pvenode: {
    sub: {
      task: {
        sub: {
          list: { words: ['--errors'], values: { '--limit': number, '--vmid': vmid, '--typefilter': word } },
          ...{ log: { operands: [upid], min: 1 }, status: { operands: [upid], min: 1 } },
        },
      },
      cert: { sub: { info: none } },
    },
  },
  'proxmox-boot-tool': { sub: { kernel: { sub: { list: none } } } },
  'proxmox-backup-manager': {
    sub: {
      ...{ versions: none, datastore: { sub: { list: none } }, task: { sub: { list: none } } },
      'garbage-collection': { sub: { list: none, status: { operands: [word], min: 1 } } },
    },
  },
  'corosync-cfgtool': { words: ['-s', '-n', '-b'], needs: [['-s', '-n']] },
  'corosync-quorumtool': { words: ['-s', '-l', '-i'], needs: [['-s', '-l']] },
  pvesr: { sub: { list: none, status: { values: { '--guest': vmid } } } },
  'pve-firewall': { sub: { status: none, localnet: none, compile: none } },
  pveceph: { sub: { status: none, pool: { sub: { ls: none } }, lspools: none } },
  'ha-manager': {
    sub: {
      status: { words: ['--verbose'], optional: { '--verbose': /^[01]$/ } },
      config: { values: { '--type': /^(?:vm|ct)$/ } },
      groupconfig: none,
      rules: { sub: { config: none, list: none } },
    },
    deniedSubs: haChanges,
  },
  qm: {
    sub: {
      ...guestPrograms,
      showcmd: guest({ words: ['--pretty'], values: { '--snapshot': word } }),
      agent: { operands: [vmid, agentReads], min: 2 },
      guest: { sub: { cmd: { operands: [vmid, agentReads], min: 2 } } },
    },
    deniedSubs: guestChanges('vm'),
  },
  pct: { sub: { ...guestPrograms, cpusets: none }, deniedSubs: guestChanges('container') },
  zpool: {
    sub: {
      status: {
        flags: 'vxstPLDgpej',
        rest: pool,
        denied: { '-c': 'run programs' },
      },
      list: { flags: 'HvpPLgj', values: { '-o': list }, rest: pool },
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
      get: { flags: 'Hp', values: { '-o': list }, operands: [list], rest: pool, min: 1 },
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
          ...{
            tree: none,
            status: none,
            utilization: none,
            dump: none,
            'blocked-by': none,
            find: { operands: [number] },
          },
          crush: { sub: { tree: none, rule: { sub: { ls: none } } } },
          df: { operands: [/^tree$/] },
          stat: none,
          perf: none,
          ls: none,
          pool: { sub: { ls: { operands: [/^detail$/] }, stats: { operands: [word] }, 'autoscale-status': none } },
        },
      },
      mon: { sub: { stat: none, dump: none } },
      mgr: { sub: { stat: none, services: none, module: { sub: { ls: none } } } },
      pg: { sub: { stat: none, dump_stuck: { operands: [word] } } },
      ...{ fsid: none, features: none, 'time-sync-status': none },
      ...{ balancer: { sub: { status: none } }, device: { sub: { ls: none } }, crash: { sub: { ls: none } } },
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
      ...{ ls: { flags: 'l', words: ['--long'], operands: [word] }, list: { flags: 'l', operands: [word] } },
      ...{ info: { operands: [image], min: 1 }, status: { operands: [image], min: 1 }, du: { operands: [image] } },
      snap: { sub: { ls: { operands: [image], min: 1 } } },
    },
  },
  rados: { sub: { df: none, lspools: none } },
  'ceph-volume': { sub: { lvm: { sub: { list: none } } } },
  'lxc-info': {
    values: { '-n': vmid, '--name': vmid },
    words: ['-s', '-p', '-i', '-S', '-H'],
    needs: [['-n', '--name']],
  },
  'lxc-ls': { words: ['-f', '--fancy', '-1', '--running', '--stopped'] },
  exportfs: { words: ['-v', '-s'] },
  showmount: { words: ['-e', '-a', '-d', '--exports', '--no-headers'], operands: [/^[A-Za-z0-9][\w.:-]*$/] },
  smbstatus: { words: ['-b', '-p', '-S', '-L'] },
  upsc: { words: ['-l', '-L'], operands: [/^[A-Za-z0-9][\w.@:-]*$/, /^[a-z][\w.]*$/] },
  apcaccess: { sub: { status: none }, subOptional: true },
  quota: { words: ['-s'] },
  btrfs: {
    sub: {
      filesystem: { sub: { show: { rest: 'path' }, usage: { rest: 'path', min: 1 }, df: { rest: 'path', min: 1 } } },
      device: { sub: { stats: { operands: ['path'], min: 1 } } },
      subvolume: { sub: { list: { operands: ['path'], min: 1 } } },
      scrub: { sub: { status: { operands: ['path'], min: 1 } } },
    },
  },
  lsns: none,
}
