import type {
  Asking,
  ClusterState,
  FileDiff,
  ImageType,
  PlanFacts,
  Principal,
  QuestionResolution,
  Target,
  Tier,
  TodoItem,
  ToolInput,
  View,
} from 'protocol'
import type { z } from 'zod'
import type { Becomes, Effect, Ending, Touch } from '../gate/effect.ts'
import type { ArgumentRaise } from '../gate/raises.ts'
import type { World } from '../gate/world.ts'
import type { CallOptions } from '../homelab/ports.ts'
import type { Need } from '../homelab/pve/rights.ts'

export type ToolImage = { mimeType: ImageType; data: Buffer }

export type ToolOutput = {
  /** The text that the model reads: compact, in human units. */
  text: string
  /** One line for a person. */
  summary: string
  /** The same, structured, for the dashboard and MCP. */
  data?: Record<string, unknown>
  /** `text` names each of them, for models that take words alone. */
  images?: readonly ToolImage[]
  isError?: boolean
  /** The model's own list of what it is about to do, which the transcript keeps as an entry. */
  todo?: readonly TodoItem[]
}

/** The circumstances of one call. */
export type ToolContext = Required<CallOptions> & {
  /** An MCP client or a program asks, so the arguments are not the operator's words. */
  isForeign?: boolean
  /** A model of JARVIS makes the call. */
  hasModel?: boolean
  /** The target that the call was judged about, and that its card showed. */
  target?: Target
  /** The preview that `prepare` made for the call. */
  preview?: Preview
  /** The change goes back `afterMs` after now, unless a person keeps it. `id`: of the change. */
  goesBack?: { id: string; afterMs: number }
  /** The id of the change that this call takes back, if its node has a timer for it. */
  timerOf?: string
  toolUseId?: string
  /** Hashes of the skills whose text the asker has in its context, by name. */
  loadedSkills?(): ReadonlyMap<string, string>
  /** Who asks. */
  asker?: Principal
  sessionId?: string
  runId?: string
  /** The person who approved this call, or made the grant that lets it run. */
  approvedBy?: string
  /** Tells if strangers' texts were read before the call and the call says more than the operator's own words. */
  repeatsOthers?(): boolean
  /**
   * Asks the operator and waits for the end of the question, until `signal` withdraws it. The time does not count as the tool's. Absent if no
   * operator is there.
   */
  ask?: (asking: Asking, signal?: AbortSignal) => Promise<QuestionResolution>
  /** The part of the cluster that the person in whose name the call is made may see. Absent: all of it. */
  sees?(state: ClusterState): ClusterState
}

/** The circumstances of a preparation. A tool that reads more than its own target reads no more than `Whose` may see. */
export type PrepareContext = Pick<ToolContext, 'signal' | 'sessionId'> & Whose
/**
 * In whose name a call is made: the agent that asks, the agent whose child run that is, and the person. Absent: main, and the first owner.
 * `isClient`: a client or a program asks, and is not lent any attached server.
 */
export type Whose = Pick<Principal, 'agent' | 'for' | 'person'> & { isClient?: true }

/** The call that takes a change back, composed before the change is made. */
export type Undo =
  | {
      kind: 'call'
      toolName: string
      input: ToolInput
      /** Tells people what goes back to what. */
      sentence: string
      /** Unix ms, after which the change cannot be taken back. */
      until?: number
      /** Tells people what is lost when the change is taken back. */
      loses?: string
      /** The state that the target must still have. */
      expects?: Partial<Pick<Target, 'status' | 'node'>>
    }
  /** `because`: one sentence. */
  | { kind: 'none'; because: string }

/** The facts that a change read from the cluster before it is judged. Names in them are quoted. */
export type Preview = {
  /** Replaces the card's own words about the present state. */
  now?: string
  then?: string
  affects?: string
  undo: Undo
  /** The files that the call changes. */
  diff?: readonly FileDiff[]
  /** Digests of the facts that an approval rests on, by their names: `{ configuration: digest }`. If a digest changes, the call asks again. */
  basis?: Readonly<Record<string, string>>
  /** As `Effect.becomes`, if the guest's new facts had to be read, such as the tags of a backup. */
  becomes?: Becomes
  /** `false`: the change never goes back by itself, such as a change of disks or of a guest's networks. */
  mayGoBack?: false
  /** The node whose own timer puts the change back, if it was approved to go back, because the change may cut JARVIS off. */
  timerOn?: string
  /** The call that JARVIS makes by itself later, and that the card announces: it deletes a safety snapshot. `at`: Unix ms. */
  later?: { toolName: string; input: ToolInput; at: number; sentence: string }
  /** The calls that the call leads to. It is judged as the strictest of them, and refused if one of them would be. */
  leads?: Leads
}

/** A plan: calls that run one after the other, each through the gate, once this call has begun. */
export type Leads = {
  facts: Omit<PlanFacts, 'id'>
  /** `at`: names the call in a refusal. `isLater`: it waits for the change of an earlier call, and asks by itself in its turn. */
  calls: readonly { number: number; toolName: string; toolInput: ToolInput; at: string; isLater?: true }[]
  /** The results that the calls were made of. */
  read: readonly { toolName: string; toolUseId: string; text: string; asked: ToolInput }[]
  /** The person's own text that holds the calls. Absent if the asker composed them. */
  said?: string
  /** The hash of that text, and who last wrote it, if known. */
  text?: { hash: string; writtenBy?: string }
  /** How long after the approval a call may still begin. */
  maxAgeMs: number
  /** JSON for the part that leads the run. */
  script: unknown
}

/** A part of the cluster's abilities. Tools of a group that the cluster cannot serve are not offered. */
export type Group = { name: string; isServed(state: ClusterState): boolean }

/** `hash`: of its definition. `inputSchema`: the server's own. `listed`: values that the schema names itself. */
export type Attached = {
  server: string
  hash: string
  inputSchema: Record<string, unknown>
  listed: ReadonlySet<string>
}

/**
 * A tool and its effects. The gate, cards, journal and recovery know a tool by nothing else.
 * @typeParam Ports the parts that `run` acts through; `withPorts` binds them
 */
export type ToolDefinition<Input extends z.ZodObject = z.ZodObject, Ports = unknown> = {
  name: string
  /** For people: `Restart a virtual machine`. */
  title: string
  /** Written for a model: what it does, when to use it, what it returns. */
  description: string
  /** The base tier: rules may only raise it. */
  tier: Tier
  timeoutMs: number
  /** A strict object: an unknown key is refused, not stripped. Loose only if an attached tool's schema says so. */
  input: Input
  /** A usual call. Tests make it through every door: a call of a tool over the homelab must do something on the demo cluster. */
  example?: z.input<Input>
  /** The schema of `data` if the call did not fail. Later versions may add keys. */
  output?: z.ZodObject
  /** How the dashboard draws a call. `output` then has the form of that view's data. */
  view?: View
  /** Every kind of effect that a call may have; a call with another effect asks. */
  touches: readonly Touch[]
  /**
   * The part of the cluster that the answer of a read of the site shows, for people who may see only a part. `conversation`: nothing of the
   * cluster. `seen`: the part that `context.sees` leaves. A number: the guest of that id. Absent: the whole cluster.
   */
  shows?: 'conversation' | 'seen' | ((input: z.output<Input>) => number)
  /**
   * The effects of one call, the main effect first. Without any, or when it throws, the call asks. It reads of the ports only what is known already.
   * No JARVIS runs while a policy file is judged against the journal: `ports` is undefined then.
   * @throws Mistake for arguments that the caller can correct
   */
  effects(input: z.output<Input>, world: World, ports: Ports): readonly Effect[]
  /**
   * Reads what a change would affect, before the call is judged and again when its turn comes. Changes nothing.
   * @throws Mistake for what cannot work, such as a name in use or a storage without space; JarvisError
   */
  prepare?(input: z.output<Input>, context: PrepareContext, ports: Ports): Promise<Preview>
  /** The call that takes a change back. A tool with `prepare` returns it there instead. Absent: nothing takes the change back. */
  undo?(input: z.output<Input>, world: World): Undo
  /** The recorded change that a call takes back. */
  undoes?(input: z.output<Input>): string
  /** When its effects have an `atLeast`, in a few words: `description and tags`. */
  raises?: readonly ArgumentRaise[]
  /** Its effects are refused unless `policy.yaml` names it under `enable`. */
  isOptIn?: true
  /** The call that is run in place of this one. Its effects must be among this one's. */
  standsFor?(input: z.output<Input>, ports: Ports): { tool: StandIn; input: ToolInput }
  /** Absent: offered always. */
  group?: Group
  /** Tells how a change's outcome is found after its answer was lost. Absent: the outcome cannot be found. */
  ending?(input: z.output<Input>, ports: Ports): Ending
  /** JARVIS composes its answers, so other people's text occurs in them as names alone. */
  isComposed?: true
  /** JARVIS's own words in its answers name no tool that changes something. If an answer names one, the text of an error does. */
  namesNoChange?: true
  /** Its data lists things of the cluster by their names and ids, so that a call may pick from it. */
  lists?: true
  /** Its answers are addresses that a search found, which may be asked as they stand there. */
  givesAddresses?: true
  /** It reads or writes what JARVIS remembers, so an agent without a memory may not use it. */
  remembers?: true
  /** Its answers repeat earlier conversations, the operator's words included. */
  recalls?: true
  /** Its answers are parts of the result of the call that this names. Where that result is known, taint looks at it alone. */
  rereads?(input: z.output<Input>): string
  /** Its answers are texts that an operator approved: neither a stranger's words nor an order given now, and given whole. */
  isApprovedText?: true
  /** It leads to calls of other runs, so it is no step of a plan, and no child run may call it. */
  startsPlan?: true
  /** It only asks the operator, so it is offered only if one is there, and is no step of a plan. */
  asks?: true
  /** It only waits for what goes on after a restart, so that a stop does not wait for it. It must be green, and safe to repeat. */
  outlives?: true
  /** The names of tools that the calls of its plan would use, as far as the arguments name them. Never throws. */
  leadsTo?(input: ToolInput): readonly string[]
  /** It acts on the conversation that it is called in, so it is no step of a plan. */
  isOfChat?: true
  /** The rights that the Proxmox token must have. Absent if the tool does not use the Proxmox API. */
  needs?: readonly Need[]
  /** Where it is a tool of an attached MCP server. */
  attached?: Attached
  run(input: z.output<Input>, context: ToolContext, ports: Ports): Promise<ToolOutput>
}

/** A tool with its ports. Only `execute.ts` calls `run`. */
export type Tool = Omit<ToolDefinition, 'run' | 'prepare' | 'effects' | 'ending' | 'standsFor'> & {
  effects(input: Record<string, unknown>, world: World): readonly Effect[]
  prepare?(input: Record<string, unknown>, context: PrepareContext): Promise<Preview>
  ending?(input: Record<string, unknown>): Ending
  standsFor?(input: Record<string, unknown>): { tool: StandIn; input: ToolInput }
  run(input: Record<string, unknown>, context: ToolContext): Promise<ToolOutput>
}

/** A tool without its ports, for readers without a running JARVIS. `effects` is called without ports, so a call of a tool that needs them asks. */
export type Declaration = Omit<ToolDefinition, 'run' | 'prepare' | 'effects' | 'ending'> & {
  effects(input: Record<string, unknown>, world: World, ports?: unknown): readonly Effect[]
  ending?(input: Record<string, unknown>, ports?: unknown): Ending
}

/** The tool that is run in place of another one. */
export type StandIn = Pick<Tool, 'name' | 'tier' | 'run' | 'remembers'>

/** Gives `run` and `effects` their arguments' types, and forgets them for the catalog: the gate parses before it calls. */
export const toolOver =
  <Ports>() =>
  <Input extends z.ZodObject>(tool: ToolDefinition<Input, Ports>): ToolDefinition<z.ZodObject, Ports> =>
    tool as unknown as ToolDefinition<z.ZodObject, Ports>

/** Defines a tool without ports. */
export const defineTool = <Input extends z.ZodObject>(tool: ToolDefinition<Input, void>): Tool =>
  tool as unknown as Tool

/** Binds tools to their ports. */
export const withPorts = <Ports>(tools: readonly ToolDefinition<z.ZodObject, Ports>[], ports: Ports): Tool[] =>
  tools.map(({ run, prepare, effects, ending, standsFor, ...tool }) => ({
    ...tool,
    effects: (input, world) => effects(input, world, ports),
    run: (input, context) => run(input, context, ports),
    ...(prepare && { prepare: (input, context) => prepare(input, context, ports) }),
    ...(ending && { ending: (input) => ending(input, ports) }),
    ...(standsFor && { standsFor: (input) => standsFor(input, ports) }),
  }))
