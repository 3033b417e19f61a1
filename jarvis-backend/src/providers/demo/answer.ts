import type { ToolResult } from '../../agent/model.ts'
import type { ClusterState } from '../../protocol/index.ts'
import { mentions } from './mentions.ts'

export const introduction =
  'I am JARVIS’s built-in demo, sir: fixed phrases, no language model. Connect a real one under Settings, Models, or with ANTHROPIC_API_KEY, OPENAI_API_KEY or OPENAI_BASE_URL in .env.'

/** What it can do, with names that are really there. */
export function abilities({ guests, nodes }: ClusterState): string {
  const guest =
    guests.findLast(({ type, status, isProtected }) => type === 'ct' && status === 'running' && !isProtected) ??
    guests[0]
  const node = nodes.find(({ status }) => status === 'online')?.name ?? nodes[0]?.name
  const examples = [
    'cluster status',
    'what is running',
    ...(node === undefined
      ? []
      : [`how hot is ${node}`, `run “df -h” on ${node}`, `restart the nginx service on ${node}`]),
    ...(guest === undefined ? [] : [`restart ${guest.name}`, `backups of ${guest.vmid}`]),
  ]
  return `I can look at the cluster, nodes, guests, storage, temperatures, tasks and backups; start, stop and restart guests; restart a service; wake a node; run a read-only command; and remember what you tell me to. For instance: ${examples.join('; ')}.`
}

/**
 * The calls' outcomes in words: their own, for the demo adds no knowledge.
 * @param question what was asked, to pick the lines on the guests it names
 */
export function report(results: readonly ToolResult[], question: string, cluster: ClusterState): string {
  const failed = results.filter((result) => result.isError)
  const done = results.filter((result) => !result.isError)
  const reads = done.every(({ toolName }) => /^(?:get_|memory_(?:search|get)$|execute_ssh$)/.test(toolName))
  const opening = done.length === 0 ? [] : [reads ? 'Here you are, sir.' : 'Very good, sir.']
  return [
    ...opening,
    ...done.map((result) => quoted(relevant(result, question, cluster))),
    ...failed.map(({ toolName, text }) => `I regret that ${toolName} came to nothing, sir. ${text}`),
  ].join('\n\n')
}

function relevant({ toolName, text }: ToolResult, question: string, cluster: ClusterState): string {
  if (toolName !== 'get_vms' && toolName !== 'get_containers') return text
  const { guests } = mentions(question, cluster)
  const lines = text
    .split('\n')
    .filter((line) => guests.some(({ vmid }) => new RegExp(`(?<!\\d)${vmid}(?!\\d)`).test(line)))
  return lines.length === 0 ? text : lines.join('\n')
}

/** A list or a command's output keeps its columns; a sentence stays one. */
function quoted(text: string): string {
  if (!text.includes('\n')) return text
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}
