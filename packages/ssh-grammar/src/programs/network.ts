import type { Grammar } from '../grammar.ts'
import { host, interfaceName, number, word } from '../patterns.ts'

const long = (names: string) => names.split(' ').map((name) => `--${name}`)
const none: Grammar = {}

const filter = /^[A-Za-z0-9:][\w.:/@-]*$/
const shown: Grammar = { rest: filter }
const showing = { show: shown, sh: shown, list: shown, ls: shown }
/** Objects of `ip` that may only be listed. */
const listed: Grammar = { sub: showing, subOptional: true }
/** Objects of `ip` for which `s` means `show`; after `ip link` it means `set`. */
const addresses: Grammar = { sub: { ...showing, s: shown }, subOptional: true }
const routes: Grammar = { sub: { ...showing, s: shown, get: { rest: filter, min: 1 } }, subOptional: true }
const bridgeShow: Grammar = { sub: { show: shown, list: shown }, subOptional: true }
const lookup: Grammar = { values: { '-t': word }, flags: 'a46v', operands: [host, /^[\da-zA-Z][\w.:-]*$/], min: 1 }

/** Programs that show the network or send it a bounded query. */
export const networkPrograms: Readonly<Record<string, Grammar>> = {
  ip: {
    words:
      '-4 -6 -br -brief -j -json -p -pretty -s -stats -statistics -d -details -o -oneline -h -human -c -V -Version'.split(
        ' ',
      ),
    sub: {
      address: addresses,
      addr: addresses,
      a: addresses,
      link: listed,
      l: listed,
      route: routes,
      r: routes,
      neighbour: listed,
      neighbor: listed,
      neigh: listed,
      n: listed,
      rule: listed,
      maddress: listed,
      maddr: listed,
      vrf: listed,
      netns: { sub: { list: none, ls: none }, subOptional: true },
      tunnel: listed,
      tuntap: listed,
      nexthop: listed,
      mroute: listed,
      ntable: listed,
    },
    denied: {
      '-b': 'run a file of changes',
      '-batch': 'run a file of changes',
      '-force': 'go on after errors',
      '-n': 'enter another network',
    },
  },
  bridge: {
    words: ['-s', '-d', '-j', '-p', '-c', '-o'],
    sub: { link: bridgeShow, fdb: bridgeShow, vlan: bridgeShow, mdb: bridgeShow },
  },
  brctl: {
    sub: {
      show: { rest: interfaceName },
      showmacs: { operands: [interfaceName], min: 1 },
      showstp: { operands: [interfaceName], min: 1 },
    },
  },
  ethtool: {
    words:
      '-i -S -k -g -l -a -T -c -n -P -m --show-features --show-ring --show-coalesce --show-channels --show-pause --statistics --driver --module-info --show-eee --show-fec -x -u --show-offload --show-priv-flags --show-rxfh-indir --show-nfc'.split(
        ' ',
      ),
    operands: [interfaceName],
    min: 1,
  },
  ss: {
    flags: 'tulnpaemiosxwr46HO0ZTSdMb',
    words: long(
      'tcp udp listening numeric processes all summary extended memory info options unix raw ipv4 ipv6 no-header oneline',
    ),
    values: {
      '-f': /^(?:unix|inet|inet6|link|netlink|vsock|xdp)$/,
      '--family': /^(?:unix|inet|inet6|link|netlink|vsock|xdp)$/,
      '-A': /^[a-z_0-9,]+$/,
      '--query': /^[a-z_0-9,]+$/,
    },
    rest: /^[\w.:,=()<>!/[\]* &|][\w.:,=()<>!/[\]* &|-]*$/,
    denied: {
      '-K': 'close connections',
      '--kill': 'close connections',
      '-D': 'write a file',
      '--diag': 'write a file',
      '-F': 'read another file',
      '--filter': 'read another file',
      '-E': 'wait for more and never end',
      '--events': 'wait for more and never end',
      '-N': 'enter another network',
    },
  },
  netstat: {
    flags: 'tulnpaersiWogxw46',
    words: long('numeric tcp udp listening programs route interfaces all'),
    denied: { '-c': 'repeat and never end' },
  },
  ifconfig: { flags: 'as', operands: [interfaceName] },
  arp: {
    flags: 'aenv',
    values: { '-i': interfaceName },
    operands: [host],
    denied: { '-d': 'delete entries', '-s': 'add entries' },
  },
  route: { flags: 'ne46' },
  ping: {
    flags: '46nqDOv',
    values: {
      '-c': /^(?:[1-9]|1\d|20)$/,
      '-i': /^(?:0\.[2-9]|[1-3](?:\.\d)?)$/,
      '-W': /^(?:[1-9]|10)$/,
      '-w': /^(?:[1-9]|[12]\d|30)$/,
      '-s': /^(?:\d{1,3}|[1-8]\d{3})$/,
      '-t': /^\d{1,3}$/,
      '-M': /^(?:do|want|dont)$/,
      '-I': interfaceName,
    },
    needs: [['-c']],
    operands: [host],
    min: 1,
    denied: { '-f': 'flood the network', '-b': 'ask a whole network', '-A': 'send as fast as it can' },
  },
  traceroute: {
    flags: '46nITU',
    values: {
      '-p': number,
      '-i': interfaceName,
      '-f': /^\d{1,2}$/,
      '-m': /^(?:[1-9]|[12]\d|30)$/,
      '-q': /^[1-3]$/,
      '-w': /^[1-5]$/,
    },
    operands: [host],
    min: 1,
  },
  tracepath: { flags: '46nb', values: { '-m': /^(?:[1-9]|[12]\d|30)$/ }, operands: [host], min: 1 },
  dig: {
    words: ['-4', '-6'],
    values: { '-x': host, '-t': word, '-q': host, '-p': number, '-c': word },
    rest: /^(?:@[\w.:-]+|\+(?:no)?(?:short|all|answer|trace|stats|comments|cmd|question|tcp|vc|recurse|dnssec|multiline|authority|additional|search|nssearch|identify|cdflag|adflag|ttlid|ttlunits|crypto|rrcomments|edns|bufsize|class|nsid)|\+(?:time|timeout|tries|retry)=\d|[\w][\w.-]*|\.)$/,
    denied: { '-f': 'read another file', '-k': 'read a key' },
  },
  host: lookup,
  nslookup: {
    words: 'a aaaa any cname mx ns ptr soa srv txt'.split(' ').flatMap((type) => [`-type=${type}`, `-query=${type}`]),
    operands: [host, host],
    min: 1,
  },
  getent: {
    sub: Object.fromEntries(
      ['hosts', 'ahosts', 'ahostsv4', 'ahostsv6', 'passwd', 'group', 'services', 'networks', 'protocols'].map(
        (name) => [name, { rest: /^[\w][\w.:@/-]*$/ }],
      ),
    ),
  },
  nmcli: {
    words: ['-t', '-p'],
    values: { '-f': /^[A-Z0-9a-z._,-]+$/ },
    sub: {
      device: { sub: { status: none, show: { operands: [interfaceName] } }, subOptional: true },
      general: { sub: { status: none }, subOptional: true },
    },
  },
  mtr: {
    flags: 'rnwbzTu46',
    values: { '-c': /^(?:[1-9]|10)$/, '--report-cycles': /^(?:[1-9]|10)$/, '-i': /^[1-3]$/ },
    words: long('report report-wide no-dns show-ips aslookup tcp udp'),
    needs: [
      ['-r', '-w', '--report', '--report-wide'],
      ['-c', '--report-cycles'],
    ],
    operands: [host],
    min: 1,
  },
  ntpq: { words: ['-p', '-pn', '-np', '-n'], needs: [['-p', '-pn', '-np']] },
  iw: { sub: { dev: none } },
  nfsstat: { flags: 'cnmrsl234' },
  rpcinfo: { flags: 'ps', operands: [host], needs: [['-p', '-s']] },
  tc: { words: ['-s', '-d'], sub: { qdisc: { sub: { show: shown } }, class: { sub: { show: shown } } } },
}
