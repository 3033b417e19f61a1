import type { Model } from './model.ts'
import { misfit, Refusal } from './refusal.ts'
import { anything, need, type Route, vmidShape, wordShape } from './route.ts'

const poolNeeds: Route['needs'] = ({ pool }) => [need(`/pool/${pool}`, 'Pool.Audit')]

/** @throws Refusal if there is no pool of this name */
export function poolNamed({ pools }: Model, name: string) {
  const pool = pools.get(name)
  if (pool === undefined) throw new Refusal(500, `pool '${name}' does not exist`)
  return pool
}

export const poolRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: /^\/cluster\/nextid$/,
    allowed: { vmid: vmidShape },
    needs: () => [],
    run({ host }, _, { vmid }) {
      if (vmid !== undefined) {
        const type = host.guest(Number(vmid))?.type
        if (type !== undefined) throw misfit({ vmid: `${type === 'qemu' ? 'VM' : 'CT'} ${vmid} already exists` })
        return vmid
      }
      let free = 100
      while (host.guest(free) !== undefined) free += 1
      return String(free)
    },
  },
  {
    method: 'GET',
    pattern: /^\/pools\/(?<pool>[^/]+)$/,
    allowed: { type: /^(qemu|lxc|storage)$/ },
    needs: poolNeeds,
    run(model, { pool = '' }, { type: only }) {
      const { comment, vmids } = poolNamed(model, pool)
      const members = [...vmids].flatMap((vmid) => {
        const guest = model.host.guest(vmid)
        if (guest === undefined || (only ?? guest.type) !== guest.type) return []
        const { type, node, name, status } = guest
        return [{ id: `${type}/${vmid}`, type, vmid, node, name, status }]
      })
      return { comment, members }
    },
  },
  {
    method: 'GET',
    pattern: /^\/pools$/,
    allowed: {},
    needs: () => [],
    run: ({ pools, may }) =>
      [...pools]
        .filter(([poolid]) => may(need(`/pool/${poolid}`, 'Pool.Audit')))
        .map(([poolid, { comment }]) => ({ poolid, comment })),
  },
  {
    method: 'POST',
    pattern: /^\/pools$/,
    allowed: { poolid: wordShape, comment: anything },
    required: ['poolid'],
    needs: (_, { poolid }) => [need(`/pool/${poolid}`, 'Pool.Allocate')],
    run({ pools }, _, { poolid = '', comment = '' }) {
      if (pools.has(poolid)) throw new Refusal(500, `create pool failed: pool '${poolid}' already exists`)
      pools.set(poolid, { comment, vmids: new Set() })
      return null
    },
  },
]
