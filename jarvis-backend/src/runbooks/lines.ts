import { nearestName } from 'node-kit/nearest'
import type { Fault } from 'protocol'
import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml'

/** Reports a fault at a line, counted from 1. `nearest`: the most similar known name. */
export type Say = (line: number, message: string, more?: { column?: number; nearest?: string | undefined }) => void

export function createFaults(): { faults: () => Fault[]; say: Say } {
  const faults: Fault[] = []
  return {
    faults: () => faults.toSorted((a, b) => a.line - b.line || (a.column ?? 0) - (b.column ?? 0)),
    say(line, message, { column, nearest } = {}) {
      const fault = {
        line,
        message,
        column,
        nearest,
      }
      if (!faults.some((one) => one.line === line && one.message === message)) faults.push(fault)
    },
  }
}

/**
 * A YAML part of a runbook. `placeOf`: returns the line and column at which a node begins; with `within`, the position that many characters after
 * it.
 */
export type Block = {
  map: YAMLMap | undefined
  placeOf(node: unknown, within?: number): { line: number; column: number }
}

const unsafe = new Set(['__proto__', 'constructor', 'prototype'])

/** Parses lines as YAML. Anchors, aliases and tags are faults, because each value must stand where it is read. @param firstLine of the text, from 1 */
export function readBlock(text: string, firstLine: number, say: Say): Block {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, version: '1.2', schema: 'core' })
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return { line: line + firstLine - 1, column: col }
  }
  const placeOf: Block['placeOf'] = (node, within = 0) => at(((node as Node | null)?.range?.[0] ?? 0) + within)
  for (const { pos, code, message } of [...document.errors, ...document.warnings]) {
    const { line, column } = at(pos[0])
    const words = code === 'DUPLICATE_KEY' ? 'This key stands here twice; keep one.' : `This is not YAML: ${message}`
    say(line, words, { column })
  }
  if (document.errors.length > 0) return { map: undefined, placeOf }
  let isPlain = true
  visit(document, (_key, node) => {
    if (!isNode(node) || !(isAlias(node) || node.anchor !== undefined || node.tag !== undefined)) return
    isPlain = false
    const { line, column } = placeOf(node)
    say(line, 'Anchors, aliases and tags (&, *, !) are not read here. Write the value itself.', { column })
  })
  if (!isPlain) return { map: undefined, placeOf }
  const { contents } = document
  if (contents === null) return { map: undefined, placeOf }
  if (!isMap(contents)) {
    say(firstLine, 'Keys such as `tool:` are expected here.')
    return { map: undefined, placeOf }
  }
  return { map: contents as YAMLMap, placeOf }
}

/** The values of a map by the key’s name, each with the node of its key. */
export type Members = Map<string, { key: Node; value: unknown }>

/** Returns the values of a map’s known keys. Each unknown key is reported as a fault, with the most similar known key. */
export function membersOf(
  { placeOf }: Pick<Block, 'placeOf'>,
  { map, known, of }: { map: YAMLMap; known: readonly string[]; of: string },
  say: Say,
): Members {
  const found = new Map<string, { key: Node; value: unknown }>()
  for (const { key, value } of map.items as Pair<Node, unknown>[]) {
    const name = isScalar(key) ? String(key.value) : ''
    const { line, column } = placeOf(key)
    if (!known.includes(name) || unsafe.has(name))
      say(line, `${name || 'This'} is no key of ${of}. There are ${known.join(', ')}.`, {
        column,
        nearest: nearestName(name, known),
      })
    else found.set(name, { key: key as Node, value })
  }
  return found
}

/** The text of a scalar; undefined for a map, a list or nothing. */
export const textOf = (node: unknown): string | undefined =>
  isScalar(node) && node.value !== null && typeof node.value !== 'object' ? String(node.value) : undefined
