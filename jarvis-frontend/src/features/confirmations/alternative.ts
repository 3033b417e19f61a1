import type { Alternative } from 'protocol'

/** Parses a call written as `TOOL {"argument": value}`, or says why it is not a call. A slash before the tool is allowed. */
export function alternativeOf(text: string): Alternative | { problem: string } {
  const [, toolName = '', json = ''] = /^\s*\/?([\w-]+)\s*([\s\S]*)$/.exec(text) ?? []
  if (toolName === '') return { problem: 'Write a tool and its arguments, such as get_node_status {"node": "pve"}.' }
  if (json.trim() === '') return { toolName, toolInput: {} }
  try {
    const toolInput: unknown = JSON.parse(json)
    if (typeof toolInput === 'object' && toolInput !== null && !Array.isArray(toolInput))
      return { toolName, toolInput: toolInput as Record<string, unknown> }
  } catch {
    // The problem is returned below.
  }
  return { problem: 'The arguments must be JSON between braces, such as {"node": "pve"}. Nothing was decided.' }
}
