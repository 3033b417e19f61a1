import type { Alternative } from 'protocol'

/** The call that a person wrote as `TOOL {"argument": value}`, or why it is none. A slash before the tool may stand. */
export function alternativeOf(text: string): Alternative | { problem: string } {
  const [, toolName = '', json = ''] = /^\s*\/?([\w-]+)\s*([\s\S]*)$/.exec(text) ?? []
  if (toolName === '') return { problem: 'Write a tool and its arguments, such as get_node_status {"node": "pve"}.' }
  if (json.trim() === '') return { toolName, toolInput: {} }
  try {
    const toolInput: unknown = JSON.parse(json)
    if (typeof toolInput === 'object' && toolInput !== null && !Array.isArray(toolInput))
      return { toolName, toolInput: toolInput as Record<string, unknown> }
  } catch {
    // Told below.
  }
  return { problem: 'The arguments must be JSON between braces, such as {"node": "pve"}. Nothing was decided.' }
}
