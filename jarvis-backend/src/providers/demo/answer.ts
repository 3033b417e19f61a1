import type { ClusterState } from '../../protocol/index.ts'

export const introduction =
  '*I am JARVIS’s built-in demo, sir: fixed rules, no language model. Connect a real one under Settings, Models, or with ANTHROPIC_API_KEY, OPENAI_API_KEY or OPENAI_BASE_URL in .env.*'

/** What the demo can do, with examples that name real guests, nodes and storages. */
export function abilities({ guests, nodes, storages }: ClusterState): string {
  const guest =
    guests.findLast(({ type, status, isProtected }) => type === 'ct' && status === 'running' && !isProtected) ??
    guests[0]
  const online = nodes.filter(({ status }) => status === 'online')
  const node = online.toSorted((a, b) => (b.temperatureC ?? 0) - (a.temperatureC ?? 0))[0]?.name ?? nodes[0]?.name
  const [storage] = storages.filter(({ isActive }) => isActive).toSorted((a, b) => fill(b) - fill(a))
  const examples = [
    'is everything fine?',
    ...(node === undefined ? [] : [`why is ${node} hot?`]),
    'why are backups missing?',
    ...(storage === undefined ? [] : [`what fills ${storage.name}?`]),
    'what uses the most memory?',
    'what happened today?',
    ...(guest === undefined ? [] : [`restart ${guest.name}`]),
    ...(node === undefined ? [] : [`run “df -h” on ${node}`]),
  ]
  return `I can look at the cluster, its nodes, guests, storages, temperatures, tasks and backups and search for causes; start, stop and restart guests, where a card asks you first; restart a service; wake a node; run a command that only reads; and remember what you tell me to. Try:\n\n${examples.map((example) => `- ${example}`).join('\n')}`
}

const fill = ({ usedBytes, totalBytes }: ClusterState['storages'][number]) => (usedBytes ?? 0) / (totalBytes || 1)
