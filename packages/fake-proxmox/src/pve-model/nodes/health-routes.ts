import { Refusal } from '../refusal.ts'
import { need, type Route } from '../route.ts'

const at = (end: string) => new RegExp(`^/nodes/(?<node>[^/]+)/${end}$`)
const audit: Route['needs'] = ({ node }) => [need(`/nodes/${node}`, 'Sys.Audit')]
/** Proxmox records the last month as averages of half a day. */
const stepS = 43_200
const steps = 60

export const healthRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: at('time'),
    allowed: {},
    needs: audit,
    run({ host }, { node = '' }) {
      const time = Math.floor(host.now() / 1000) + host.facts.node(node).clockOffS
      return { timezone: 'Europe/Berlin', time, localtime: time + 3_600 }
    },
  },
  {
    method: 'GET',
    pattern: at('certificates/info'),
    allowed: {},
    // Every browser is shown the certificate, so no right is needed.
    needs: () => [],
    run({ host }, { node = '' }) {
      const notafter = host.facts.node(node).certificateEndsAt ?? Math.floor(host.now() / 1000) + 300 * 86_400
      const row = {
        issuer: '/CN=Proxmox Virtual Environment',
        'public-key-bits': 2048,
        'public-key-type': 'rsaEncryption',
      }
      return [
        {
          ...row,
          filename: 'pve-root-ca.pem',
          subject: '/CN=Proxmox Virtual Environment',
          notafter: notafter + 8 * 365 * 86_400,
        },
        { ...row, filename: 'pve-ssl.pem', subject: `/OU=PVE Cluster Node/CN=${node}`, notafter },
      ]
    },
  },
  {
    method: 'GET',
    pattern: at('apt/repositories'),
    allowed: {},
    needs: audit,
    run: ({ host }, { node = '' }) => ({
      digest: '0'.repeat(64),
      files: [],
      infos: [],
      'standard-repos': [],
      errors: host.facts.node(node).repositoryFaults,
    }),
  },
  {
    method: 'GET',
    pattern: at('rrddata'),
    allowed: { timeframe: /^hour$/, cf: /^(AVERAGE|MAX)$/ },
    required: ['timeframe'],
    needs: audit,
    run({ host }, { node = '' }) {
      const last = Math.floor(host.now() / 60_000) * 60
      const pressure = host.facts.node(node).memoryPressure ?? Array.from({ length: 60 }, () => 0.1)
      return pressure.map((value, index) => ({
        time: last - (pressure.length - 1 - index) * 60,
        pressurememoryfull: value,
      }))
    },
  },
  {
    method: 'GET',
    pattern: at('storage/(?<storage>[^/]+)/rrddata'),
    allowed: { timeframe: /^(hour|day|week|month|year)$/, cf: /^(AVERAGE|MAX)$/ },
    required: ['timeframe'],
    needs: ({ storage }) => [need(`/storage/${storage}`, 'Datastore.Audit', 'Datastore.AllocateSpace')],
    run({ host }, { storage: name = '', node = '' }) {
      const storage = host
        .storages()
        .find((one) => one.name === name && (one.nodes === undefined || one.nodes.includes(node)))
      if (storage === undefined) throw new Refusal(500, `storage '${name}' does not exist`)
      const last = Math.floor(host.now() / 1000 / stepS) * stepS
      const growth = host.facts.growth.get(name) ?? 0
      return Array.from({ length: steps }, (_, index) => {
        const agoS = (steps - 1 - index) * stepS
        return { time: last - agoS, total: storage.totalBytes, used: storage.usedBytes - (growth * agoS) / 86_400 }
      })
    },
  },
]
