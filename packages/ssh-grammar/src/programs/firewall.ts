import type { Grammar } from '../grammar.ts'
import { host, interfaceName, number, word } from '../patterns.ts'

const long = (names: string) => names.split(' ').map((name) => `--${name}`)
const none: Grammar = {}

/** The name of a chain, at least two letters: in `-nLZ` a single letter would be the option that resets counters. */
const chain = /^[A-Za-z][\w-]+$/
const tables: Grammar = {
  flags: 'nvx',
  words: ['--line-numbers', '--numeric', '--verbose'],
  values: { '-t': /^(?:filter|nat|mangle|raw|security)$/, '--table': /^(?:filter|nat|mangle|raw|security)$/ },
  optional: { '-L': chain, '--list': chain, '-S': chain, '--list-rules': chain },
  needs: [['-L', '-S', '--list', '--list-rules']],
  denied: {
    '-Z': 'reset the counters',
    '-F': 'delete rules',
    '-A': 'add rules',
    '-D': 'delete rules',
    '-P': 'change rules',
  },
}
const saved: Grammar = {
  values: { '-t': word, '--table': word },
  words: ['-c', '--counters'],
  denied: { '-f': 'write a file', '--file': 'write a file', '-M': 'run another program' },
}

/** Programs that show packet filters and tunnels, never their keys. */
export const firewallPrograms: Readonly<Record<string, Grammar>> = {
  iptables: tables,
  ip6tables: tables,
  nft: {
    words: ['-a', '-n', '-j', '-s'],
    sub: {
      list: {
        sub: {
          ruleset: { operands: [word] },
          tables: { operands: [word] },
          table: { operands: [word, word], min: 1 },
          counters: none,
          chains: { operands: [word] },
          sets: { operands: [word] },
          maps: { operands: [word] },
          chain: { operands: [word, word, word], min: 2 },
          set: { operands: [word, word, word], min: 2 },
        },
      },
    },
  },
  ipset: { sub: { list: { words: ['-n', '-t'], operands: [word] } } },
  'iptables-save': saved,
  'ip6tables-save': saved,
  'firewall-cmd': {
    words: long(
      'state list-all list-all-zones list-ports list-services list-rich-rules get-active-zones get-default-zone get-zones',
    ),
    values: { '--zone': word },
    needs: [
      long(
        'state list-all list-all-zones list-ports list-services list-rich-rules get-active-zones get-default-zone get-zones',
      ),
    ],
  },
  ufw: { sub: { status: { operands: [/^(?:verbose|numbered)$/] } } },
  wg: {
    subOptional: true,
    sub: {
      show: {
        operands: [
          interfaceName,
          /^(?:peers|endpoints|allowed-ips|latest-handshakes|transfer|listen-port|persistent-keepalive)$/,
        ],
      },
    },
  },
  tailscale: { sub: { status: { words: ['--json'] }, ip: { flags: '46' }, version: none, netcheck: none } },
  'fail2ban-client': {
    sub: {
      status: { operands: [word] },
      version: none,
      ping: none,
      banned: none,
      get: { operands: [word, /^(?:banip|bantime|findtime|maxretry|logpath|ignoreip)$/], min: 2 },
    },
  },
  conntrack: {
    words: ['-L', '-C', '-S'],
    values: { '-p': word, '--proto': word, '-s': host, '-d': host, '--dport': number },
    needs: [['-L', '-C', '-S']],
  },
}
