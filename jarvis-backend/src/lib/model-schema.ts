type Json = Record<string, unknown>

/**
 * Keywords that a simplified schema may contain in addition to `type`, `properties`, `items`, `required` and `description`. Some servers refuse
 * them.
 */
export const optionalKeywords = ['anyOf', 'enum', 'minimum', 'maximum', 'additionalProperties'] as const
export type OptionalKeyword = (typeof optionalKeywords)[number]

const types = ['string', 'integer', 'number', 'boolean', 'array', 'object'] as const
const deepest = 12
/** Maximum nodes of one simplified schema. References that double at each level would otherwise use up the memory. */
const mostNodes = 2_000
const longestNote = 1_000
/** Maximum objects of a union that are listed separately. If there are more, they are merged into one object. */
const mostApart = 20
/** Matches property names that every server accepts. */
const usualName = /^[A-Za-z0-9_.-]{1,64}$/

type Within = {
  root: Json
  without: ReadonlySet<OptionalKeyword>
  refs: readonly string[]
  depth: number
  left: number[]
}

/**
 * Simplifies a JSON Schema so that every model server accepts it: `type` is one word, references are resolved, a union at the top becomes one
 * object, and patterns, formats, lengths and conditions are removed. The result allows everything that the full schema allows; the gate checks the
 * full schema.
 * @param without keywords that the server refuses
 */
export function modelSchema(schema: Json, without: ReadonlySet<OptionalKeyword> = new Set()): Json {
  const within = { root: schema, without, refs: [], depth: 0, left: [mostNodes] }
  return objectOf(flat(schema, within))
}

/** A schema after the references, unions and conditions of its top level were merged. */
type Flat = {
  schema: Json
  /** Property names that are not listed as properties, because some servers would refuse them. */
  hidden: string[]
  properties: Map<string, { of: unknown; within: Within }[]>
  required: Set<string>
  notes: string[]
  within: Within
}

function flat(given: unknown, at: Within): Flat {
  const { schema, within } = resolved(given, at)
  const parts: Flat = {
    schema,
    properties: new Map(),
    required: new Set(stringsIn(schema.required)),
    notes: [],
    hidden: [],
    within,
  }
  for (const [name, of] of Object.entries(recordIn(schema.properties))) {
    if (of === false) continue
    if (usualName.test(name) && name !== '__proto__') parts.properties.set(name, [{ of, within }])
    else parts.hidden.push(name)
  }
  at.left[0] = (at.left[0] ?? 0) - 1
  if (within.depth >= deepest || at.left[0] <= 0) return parts
  const inner = { ...within, depth: within.depth + 1 }
  const add = (other: Flat) => {
    for (const [name, found] of other.properties)
      if (schema.additionalProperties !== false || parts.properties.has(name))
        parts.properties.set(name, [...(parts.properties.get(name) ?? []), ...found])
    parts.hidden.push(...other.hidden)
  }
  for (const part of listIn(schema.allOf)) {
    const other = flat(part, inner)
    add(other)
    for (const name of other.required) parts.required.add(name)
    parts.notes.push(...other.notes)
    parts.schema = { ...other.schema, ...parts.schema }
  }
  for (const key of ['anyOf', 'oneOf'] as const) {
    const branches = listIn(schema[key]).map((branch) => flat(branch, inner))
    if (branches.length === 0) continue
    for (const branch of branches) add(branch)
    const [first, ...others] = branches.map(({ required }) => required)
    for (const name of first ?? []) if (others.every((required) => required.has(name))) parts.required.add(name)
    const named = branches.filter(({ properties }) => properties.size > 0).map(noteOf)
    if (named.length > 1) parts.notes.push(`Either ${named.join('; or ')}.`)
  }
  const conditional = [schema.then, schema.else, ...Object.values(recordIn(schema.dependentSchemas))]
  for (const part of conditional) if (isRecord(part)) add(flat(part, inner))
  return parts
}

/** Describes one branch of a union: its fixed values and its names. */
function noteOf({ properties, required }: Flat): string {
  const names = [...properties].map(([name, [first]]) => {
    const { of, within } = first as { of: unknown; within: Within }
    const { schema } = resolved(of, within)
    const fixed = 'const' in schema ? ` = ${JSON.stringify(schema.const)}` : ''
    return `${name}${fixed}${required.has(name) ? '' : ' (optional)'}`
  })
  return names.join(', ')
}

function objectOf({ schema, properties, required, notes, hidden, within }: Flat): Json {
  const inner = { ...within, depth: within.depth + 1 }
  const described = [typeof schema.description === 'string' ? schema.description : '', ...notes]
  const named = [...properties].map(([name, found]) => [name, merged(found, inner.depth)] as const)
  const wanted = [...required].filter((name) => properties.has(name))
  const more = schema.additionalProperties
  // If a server makes a grammar from a schema, the model can write no other keys unless `additionalProperties` is set.
  const isOpen =
    hidden.length > 0 ||
    more === true ||
    isRecord(more) ||
    (more !== false && (isRecord(schema.patternProperties) || properties.size === 0))
  // At the top level no other keys are described, because the gate accepts only the listed names there.
  if (hidden.length > 0 && within.depth > 0)
    described.push(`It may have ${JSON.stringify(hidden).slice(1, longestNote)} too.`)
  if (isRecord(more) && typeof more.type === 'string') described.push(`Each value is of type ${more.type}.`)
  return {
    type: 'object',
    ...textOf(described),
    properties: Object.fromEntries(named),
    ...(wanted.length > 0 && { required: wanted }),
    ...(isOpen && within.depth > 0 && !within.without.has('additionalProperties') && { additionalProperties: true }),
  }
}

/** Merges the schemas that several branches give for one property. */
function merged(found: { of: unknown; within: Within }[], depth: number): Json {
  const all = found.map(({ of, within }) => node(of, { ...within, depth }))
  return all.length === 1 ? (all[0] as Json) : unionOf(all, '', found[0]?.within.without ?? new Set())
}

function node(given: unknown, at: Within): Json {
  const [left = 0] = at.left
  at.left[0] = left - 1
  const { schema, within, isCut } = resolved(given, at)
  const note = typeof schema.description === 'string' ? schema.description : ''
  if (isCut || left <= 0 || at.depth >= deepest) return openObject(note, within)
  const kinds = typesOf(schema)
  const branches = ['anyOf', 'oneOf'].flatMap((key) => listIn(schema[key]))
  const isObject =
    kinds.length === 0 ? isRecord(schema.properties) || Array.isArray(schema.allOf) : kinds.includes('object')
  if (branches.length > 0 && !(isObject && isRecord(schema.properties))) {
    const inner = { ...within, depth: within.depth + 1 }
    const taken = branches.filter((branch) => !isNull(branch)).map((branch) => node(branch, inner))
    if (taken.length > 0) return unionOf(taken, note, within.without)
  }
  if (kinds.length === 0 && Array.isArray(schema.allOf)) {
    const { allOf, ...rest } = schema
    const parts = allOf.map((part) => resolved(part, within).schema)
    const whole: Json = Object.assign({}, ...parts, rest)
    if (!parts.some((part) => isRecord(part.properties)) && !isRecord(rest.properties))
      return node(whole, { ...within, depth: within.depth + 1 })
  }
  if (kinds.length === 0) return isObject ? objectOf(flat(schema, within)) : textOf([note])
  if (kinds.length === 1) return ofType(kinds[0] as string, schema, within)
  return unionOf(
    kinds.map((type) => ofType(type, { ...schema, description: undefined }, within)),
    note,
    within.without,
  )
}

function ofType(type: string, schema: Json, within: Within): Json {
  const note = typeof schema.description === 'string' ? schema.description : ''
  if (type === 'object') return objectOf(flat(schema, within))
  if (type === 'array') {
    const inner = { ...within, depth: within.depth + 1 }
    const several = [...listIn(schema.prefixItems), ...(Array.isArray(schema.items) ? schema.items : [])]
    const rest = isRecord(schema.items) ? [schema.items] : []
    const taken = [...several, ...rest].map((item) => node(item, inner))
    const items = taken.length === 0 ? {} : unionOf(taken, '', within.without)
    return { type, ...textOf([note]), items }
  }
  const values = valuesOf(schema)?.filter((value) => isOfType(value, type))
  const isListed = type === 'string' && !within.without.has('enum') && values?.every((value) => value !== '')
  const bounds = (['minimum', 'maximum'] as const).filter(
    (key) => (type === 'integer' || type === 'number') && typeof schema[key] === 'number' && !within.without.has(key),
  )
  return {
    type,
    ...textOf([note, ...(values !== undefined && values.length > 0 && !isListed ? [oneOf(values)] : [])]),
    ...(isListed && values !== undefined && values.length > 0 && { enum: [...new Set(values)] }),
    ...Object.fromEntries(bounds.map((key) => [key, schema[key]])),
  }
}

const oneOf = (values: readonly unknown[]) => `One of: ${values.map((value) => JSON.stringify(value)).join(', ')}.`

/**
 * Returns a union in the simplest form: one schema if all branches can be merged; otherwise `anyOf`; otherwise, if the server refuses `anyOf`, the
 * first schema with a note about the other types.
 */
function unionOf(all: readonly Json[], note: string, without: ReadonlySet<OptionalKeyword>): Json {
  const kinds = new Map<string, Json>()
  for (const one of all.flatMap((one) => (Array.isArray(one.anyOf) ? (one.anyOf as Json[]) : [one]))) {
    // A branch without a type allows every value, so the union does too.
    if (one.type === undefined) return textOf([note])
    kinds.set(JSON.stringify(one), one)
  }
  const objects = [...kinds.values()].filter(({ type }) => type === 'object')
  const isApart = objects.length <= mostApart && !without.has('anyOf')
  const groups = new Map<unknown, Json[]>()
  for (const [text, one] of kinds) {
    const key = one.type === 'object' && isApart ? text : one.type
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [one])
    else group.push(one)
  }
  const plain = [...groups.values()].map((group) => alike(group, without))
  const [first = {}] = plain
  if (plain.length === 1) return { ...first, ...textOf([note, String(first.description ?? '')]) }
  if (!without.has('anyOf')) return { ...textOf([note]), anyOf: plain }
  const others = plain.slice(1).map(({ type }) => type)
  return { ...first, ...textOf([note, String(first.description ?? ''), `May also be: ${others.join(', ')}.`]) }
}

/** Merges several schemas of the same type into one. */
function alike(all: readonly Json[], without: ReadonlySet<OptionalKeyword>): Json {
  const [first = {}] = all
  if (all.length === 1) return first
  const { enum: _, minimum: __, maximum: ___, required: ____, ...whole } = first
  Object.assign(whole, textOf(all.map(({ description }) => String(description ?? ''))))
  const values = all.map((one) => one.enum)
  if (values.every(Array.isArray)) whole.enum = [...new Set(values.flat())]
  for (const [key, of] of [
    ['minimum', Math.min],
    ['maximum', Math.max],
  ] as const) {
    const bounds = all.map((one) => one[key])
    if (bounds.every((bound) => typeof bound === 'number')) whole[key] = of(...bounds)
  }
  if (first.type === 'array')
    whole.items = unionOf(
      all.map(({ items }) => items as Json),
      '',
      without,
    )
  if (first.type === 'object') {
    const found = new Map<string, Json[]>()
    for (const { properties } of all)
      for (const [name, of] of Object.entries(properties as Record<string, Json>)) {
        const known = found.get(name)
        if (known === undefined) found.set(name, [of])
        else known.push(of)
      }
    whole.properties = Object.fromEntries(
      [...found].map(([name, parts]) => [name, parts.length === 1 ? parts[0] : unionOf(parts, '', without)]),
    )
    const wanted = all.map(({ required }) => new Set(stringsIn(required)))
    const always = [...(wanted[0] ?? [])].filter((name) => wanted.every((names) => names.has(name)))
    if (always.length > 0) whole.required = always
    if (all.some(({ additionalProperties }) => additionalProperties === true)) whole.additionalProperties = true
  }
  return whole
}

/** Follows a local reference. `isCut`: the reference is circular, or its target does not exist. */
function resolved(given: unknown, within: Within): { schema: Json; within: Within; isCut?: true } {
  let schema = recordIn(given)
  let { refs } = within
  while (typeof schema.$ref === 'string') {
    const { $ref: ref, ...beside } = schema as { $ref: string } & Json
    const target = refs.includes(ref) ? undefined : pointed(ref, within.root)
    if (target === undefined) return { schema: { ...beside }, within, isCut: true }
    refs = [...refs, ref]
    schema = { ...target, ...beside }
  }
  return { schema, within: { ...within, refs } }
}

function pointed(ref: string, root: Json): Json | undefined {
  if (ref !== '#' && !ref.startsWith('#/')) return undefined
  let at: unknown = root
  for (const part of ref.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    const holder = at as Json | undefined
    at = typeof holder === 'object' && holder !== null && Object.hasOwn(holder, key) ? holder[key] : undefined
  }
  return isRecord(at) ? at : undefined
}

const openObject = (note: string, { without }: Within): Json => ({
  type: 'object',
  ...textOf([note]),
  properties: {},
  ...(!without.has('additionalProperties') && { additionalProperties: true }),
})

/** Returns the types that a schema names, or the types of its listed values, without `null`. */
function typesOf(schema: Json): string[] {
  const said = Array.isArray(schema.type) ? schema.type : [schema.type]
  const known = types.filter((type) => said.includes(type))
  if (known.length > 0 || said.some((type) => type !== undefined && type !== 'null')) return known
  const values = valuesOf(schema)
  if (values !== undefined)
    return types.filter((type) => type !== 'integer' && values.some((value) => isOfType(value, type)))
  if (isRecord(schema.items) || Array.isArray(schema.prefixItems)) return ['array']
  return []
}

const valuesOf = (schema: Json): unknown[] | undefined =>
  'const' in schema ? [schema.const] : Array.isArray(schema.enum) ? schema.enum : undefined

function isOfType(value: unknown, type: string): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isRecord(value)
  return type === 'integer' ? Number.isInteger(value) : typeof value === type
}

const isNull = (schema: unknown) =>
  isRecord(schema) && (schema.type === 'null' || ('const' in schema && schema.const === null))

const textOf = (parts: readonly string[]): { description?: string } => {
  const text = [...new Set(parts.filter((part) => part !== ''))].join(' ')
  return text === '' ? {} : { description: text.length > 4 * longestNote ? `${text.slice(0, 4 * longestNote)}…` : text }
}

const stringsIn = (value: unknown) => listIn(value).filter((item): item is string => typeof item === 'string')
const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const recordIn = (value: unknown): Json => (isRecord(value) ? value : {})
const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
