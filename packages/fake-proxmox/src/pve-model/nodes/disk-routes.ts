import { Refusal } from '../refusal.ts'
import { flag, need, type Route } from '../route.ts'

const audit = () => [need('/', 'Sys.Audit')]
const at = (end: string) => new RegExp(`^/nodes/(?<node>[^/]+)/disks/${end}$`)

export const diskRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: at('list'),
    allowed: { skipsmart: flag, 'include-partitions': flag, type: /^(unused|journal_disks)$/ },
    needs: ({ node }) => [need(`/nodes/${node}`, 'Sys.Audit')],
    run: ({ host }, { node = '' }, { skipsmart }) =>
      host.facts
        .node(node)
        .disks.map((disk) => (skipsmart === '1' ? { ...disk, health: 'UNKNOWN', wearout: 'N/A' } : disk)),
  },
  {
    method: 'GET',
    pattern: at('smart'),
    allowed: { disk: /^\/dev\/[a-zA-Z0-9/]+$/, healthonly: flag },
    required: ['disk'],
    needs: audit,
    run({ host }, { node = '' }, { disk = '', healthonly }) {
      const { disks, smart } = host.facts.node(node)
      const found = disks.find(({ devpath }) => devpath === disk)
      if (found === undefined) throw new Refusal(500, `not a valid block device`)
      return healthonly === '1'
        ? { health: found.health }
        : (smart.get(disk) ?? { health: found.health, type: 'ata', attributes: [] })
    },
  },
  {
    method: 'GET',
    pattern: at('zfs'),
    allowed: {},
    needs: audit,
    run({ host }, { node = '' }) {
      const { pools, isWithoutZfs } = host.facts.node(node)
      if (isWithoutZfs) throw new Refusal(500, 'zfsutils-linux not installed')
      return pools.map(({ row }) => row)
    },
  },
  {
    method: 'GET',
    pattern: at('zfs/(?<name>[^/]+)'),
    allowed: {},
    needs: audit,
    run({ host }, { node = '', name = '' }) {
      const pool = host.facts.node(node).pools.find(({ row }) => row.name === name)
      if (pool === undefined) throw new Refusal(500, `command '/sbin/zpool status -P ${name}' failed: exit code 1`)
      return pool.detail
    },
  },
  {
    method: 'GET',
    pattern: at('lvmthin'),
    allowed: {},
    needs: audit,
    run: ({ host }, { node = '' }) => host.facts.node(node).thinPools,
  },
]
