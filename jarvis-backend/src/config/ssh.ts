import { isIP } from 'node:net'
import { z } from 'zod'
import { parseNodes } from './nodes.ts'
import { defineSettings } from './setting.ts'

const nodesExample = 'pve1=10.0.4.11,pve2=10.0.4.12:2222@aa:bb:cc:dd:ee:02'

/** Settings for reaching the nodes by SSH, and for waking them. */
export const sshSettings = defineSettings({
  JARVIS_NODES: {
    section: 'Cluster',
    schema: z
      .string()
      .default('')
      .transform((list, context) => {
        const parsed = parseNodes(list)
        if (parsed.ok) return parsed.nodes
        context.addIssue(`has an item that cannot be read: ${parsed.problem}, for example ${nodesExample}`)
        return z.NEVER
      }),
    default: 'from the cluster',
    about:
      '`name=host[:sshport][@mac]`, with commas between, if the cluster’s own data is not enough: it never holds the MAC, which waking a node needs',
    example: nodesExample,
  },
  WOL_BROADCAST: {
    section: 'Cluster',
    schema: z
      .string()
      .default('255.255.255.255:9')
      .transform((text, context) => {
        const [, address = '', port = '9'] = /^([\d.]+)(?::(\d{1,5}))?$/.exec(text) ?? []
        if (isIP(address) === 4 && Number(port) >= 1 && Number(port) <= 65_535) return { address, port: Number(port) }
        context.addIssue('must be an IPv4 address and port, for example 10.0.4.255:9')
        return z.NEVER
      }),
    default: '`255.255.255.255:9`',
    about: 'where magic packets go; with several networks, the broadcast address of the nodes’ network',
    example: '255.255.255.255:9',
  },
  SSH_USER: {
    section: 'Cluster',
    schema: z
      .string()
      .regex(/^[a-z_][\w.-]{0,31}$/i, 'must be the name of an account on the nodes, for example root')
      .default('root'),
    default: '`root`',
    about: 'the account on the nodes',
    example: 'root',
  },
  SSH_KEY_PATH: {
    section: 'Cluster',
    schema: z.string().optional(),
    default: 'none',
    about: 'a private key of JARVIS’s own, without passphrase; else the agent in `SSH_AUTH_SOCK`',
    example: '~/.ssh/jarvis_ed25519',
  },
  SSH_KNOWN_HOSTS: {
    section: 'Cluster',
    schema: z.string().default('~/.ssh/known_hosts'),
    default: '`~/.ssh/known_hosts`',
    about: 'the host keys that are accepted; an unknown or changed one is refused, with the line that accepts it',
    example: '~/.ssh/known_hosts',
  },
})
