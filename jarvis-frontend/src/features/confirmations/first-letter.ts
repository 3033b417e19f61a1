import type { Card } from 'protocol'

/** Capitalizes a sentence, unless it begins with a name of the target: `agent is online` stays, because `Agent` would be another name. */
export function capitalized(text: string, { node, name, id }: Card['target']): string {
  const [first] = text.split(/[\s;,]/, 1)
  const isName = [node, name, id].some((own) => own !== undefined && own === first)
  return isName ? text : text.charAt(0).toUpperCase() + text.slice(1)
}
