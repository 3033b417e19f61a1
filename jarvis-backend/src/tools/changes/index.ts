import type { Tool } from '../tool.ts'
import { listChangesTool } from './list-changes.ts'
import { type UndoPorts, undoTool } from './undo.ts'

/** The tools over what JARVIS changed. */
export const changeTools = (ports: UndoPorts & Parameters<typeof listChangesTool>[0]): Tool[] => [
  listChangesTool(ports),
  undoTool(ports),
]
