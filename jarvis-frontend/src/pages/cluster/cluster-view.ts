import { useCallback } from 'react'
import type { ClusterView, GuestFilter, ViewChange } from '../../features/cluster/page.tsx'
import { ranges } from '../../features/cluster/past.ts'
import { readSort } from '../../features/cluster/rows.ts'
import { navigate, useSearchParams } from '../../lib/location.tsx'

export const filters: readonly GuestFilter[] = ['all', 'running', 'stopped', 'attention']
const kinds = ['guest', 'node', 'storage'] as const

/** Reads the page's view from the URL: `/cluster?show=running&q=web&on=pve&tag=prod&sort=-cpu&group=node&guest=123&range=24h&kiosk=1`. */
export function useClusterView() {
  const [params] = useSearchParams()
  const kind = kinds.find((known) => params.has(known))
  const view: ClusterView = {
    show: filters.find((known) => known === params.get('show')) ?? 'all',
    sort: readSort(params.get('sort')),
    isGrouped: params.get('group') === 'node',
    narrowing: { text: params.get('q') ?? '', node: params.get('on') ?? '', tag: params.get('tag') ?? '' },
    detail: kind === undefined ? undefined : `${kind}/${params.get(kind)}`,
    range: ranges.find((known) => known === params.get('range')) ?? '1h',
  }
  const text = params.toString()
  const linkTo = useCallback(
    (change: ViewChange) => {
      const next = new URLSearchParams(text)
      const set = (key: string, value: string | undefined) =>
        value === undefined ? next.delete(key) : next.set(key, value)
      if (change.show !== undefined) set('show', change.show === 'all' ? undefined : change.show)
      if (change.sort !== undefined) set('sort', change.sort === 'node' ? undefined : change.sort)
      if (change.group !== undefined) set('group', change.group ? 'node' : undefined)
      const narrow = (key: string, value: string | undefined) => value !== undefined && set(key, value || undefined)
      narrow('q', change.narrow?.text)
      narrow('on', change.narrow?.node)
      narrow('tag', change.narrow?.tag)
      if (change.range !== undefined) set('range', change.range === '1h' ? undefined : change.range)
      if ('detail' in change) {
        for (const known of kinds) next.delete(known)
        const [of, ...id] = change.detail?.split('/') ?? []
        if (of !== undefined) next.set(of, id.join('/'))
      }
      const query = next.toString()
      return query === '' ? '/cluster' : `/cluster?${query}`
    },
    [text],
  )
  const onClose = useCallback(() => navigate(linkTo({ detail: undefined })), [linkTo])
  return { view, linkTo, onClose, isKiosk: params.get('kiosk') === '1' }
}
