import { demoModel } from 'demo-model'
import type { ClusterState } from 'protocol'

const cluster: ClusterState = {
  name: 'lab',
  isDemo: true,
  at: 0,
  nodes: [{ name: 'pve1', status: 'online', isProtected: false }],
  guests: [],
  storages: [],
  tasks: [],
  isQuorate: true,
  missing: [],
}

/** Returns the names of the tools that the demo model calls for a question. */
export async function example(): Promise<string[]> {
  const model = demoModel({
    cluster: () => cluster,
    newToolUseId: () => 'tu_1',
    namingSystem: 'Name this conversation.',
    withoutSpeaker: (text) => text,
  })
  const { content } = await model.generate(
    {
      system: 'You are JARVIS.',
      messages: [{ role: 'user', results: [], text: 'How is the cluster?' }],
      tools: [{ name: 'get_cluster_status' }],
      mayCallTools: true,
    },
    { text() {} },
    new AbortController().signal,
  )
  return content.flatMap((piece) => (piece.type === 'tool_call' ? [piece.toolName] : []))
}
