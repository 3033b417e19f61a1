import { JarvisError } from 'protocol'
import type { Agent } from '../../agents/agent.ts'
import type { ActiveRun, RunProfile } from '../active-run.ts'
import type { Model } from '../model.ts'
import type { Origin } from '../origin.ts'
import { principalOf, rightsOf } from '../principal.ts'
import { formatWords, withWishes } from '../program.ts'
import type { RunParts } from '../run-agent.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import { refusalOf } from './child.ts'

export type RunFacts = ReturnType<typeof createRunFacts>

/** Says who asks in a run, by which profile and which model it goes, and how many turns it may take. */
export function createRunFacts(
  parts: Pick<RunParts, 'store' | 'models' | 'agents' | 'profile' | 'mayChild' | 'isRead' | 'asks'>,
) {
  const { store, models, agents } = parts

  /** Read when the run begins to be worked on, and kept for all of it. */
  function profileOf(session: Pick<LiveSession, 'id'>, run: ActiveRun): RunProfile {
    const askedBy = run.origin.kind === 'child' ? { askedBy: run.origin.for } : {}
    run.profile ??= given(run, parts.profile({ ...store.session(session.id), agent: run.agent, ...askedBy }))
    return run.profile
  }

  /** A child is offered what it may call, so that it does not try the rest. */
  function given(run: ActiveRun, profile: RunProfile): RunProfile {
    const refusal = refusalIn(run)
    const tools =
      refusal === undefined ? profile.tools : profile.tools.filter(({ name }) => refusal(name) === undefined)
    if (run.origin.kind !== 'v1') return { ...profile, tools }
    const { wishes, effort, mostTokens, toolChoice, format } = run.origin
    const prompt = withWishes(profile.prompt, wishes)
    return {
      ...profile,
      prompt: format === undefined ? prompt : `${prompt}\n\n${formatWords}`,
      tools: [...tools.filter(({ name }) => !isOfProgram(run.origin, name)), ...(run.origin.tools ?? [])],
      ...(effort !== undefined && { effort }),
      ...(mostTokens !== undefined && { mostTokens }),
      ...(toolChoice !== undefined && { toolChoice }),
      ...(format !== undefined && { format }),
    }
  }

  /** What a run must not call, beside the gate's word; undefined: it may call all. */
  function refusalIn({ origin }: Pick<ActiveRun, 'origin'>): ((toolName: string) => string | undefined) | undefined {
    if (origin.kind !== 'child' && origin.kind !== 'v1') return undefined
    return (name) => {
      if (isOfProgram(origin, name))
        return `The program has a tool ${name} of its own, which runs there. JARVIS's own of that name is not part of this answer.`
      if (origin.isReadOnly && !parts.isRead(name)) return `This token may only read, and ${name} is not a read.`
      return origin.kind === 'child' ? refusalOf(origin, name, parts.mayChild) : programRefusal(name, parts)
    }
  }

  /** The runs that share a run's denials: those of one piece of work. */
  function kinOf(session: LiveSession, { row, origin }: ActiveRun): string[] {
    const root = origin.kind === 'child' ? origin.parent : row.id
    return [root, ...store.childRuns(session.id, root).map(({ id }) => id)]
  }

  /** How many turns a run may have: one for a command or a client's call. */
  const turnsOf = (session: LiveSession, run: ActiveRun) =>
    rightsOf(principalIn(run)).hasModel ? profileOf(session, run).limits.turns : 1

  const principalIn = (run: ActiveRun) => principalOf(run.origin, modelOf(run).id, run.agent)

  /** The one that stands in for it after a failure; else the run's own. */
  function modelOf(run: Pick<ActiveRun, 'origin' | 'agent' | 'failed'>): Model {
    const standIn = run.failed && models.named(run.failed.standIn)
    return standIn ?? ownModelOf(run)
  }

  /** The agent's own; else the one chosen for the run, as long as it is configured. */
  function ownModelOf(run: Pick<ActiveRun, 'origin' | 'agent'>): Model {
    const chosen = agents.find(run.agent)?.model ?? chosenFor(run.origin)
    return (chosen === undefined ? undefined : models.named(chosen)) ?? models.current()
  }

  /**
   * The model of a run's next turn.
   * @throws JarvisError `unknown_agent` where its agent is gone, or the agent's model: no other one reads what was said to it
   */
  function modelFor(session: LiveSession, run: ActiveRun): Model {
    const { id } = run.row
    const own = requireAgent(run).model
    if (own !== undefined && models.named(own) === undefined) {
      throw new JarvisError(
        'unknown_agent',
        `${run.agent} answers with ${own}, which is not configured any more. Configure it, or give ${run.agent} another model.`,
      )
    }
    const model = modelOf(run)
    if (model.id === run.failed?.standIn) return model
    const chosen = own ?? chosenFor(run.origin)
    const message = `${chosen} is not configured any more; ${model.id} answers.`
    if (chosen !== undefined && model.id !== chosen && run.notice?.message !== message) {
      run.notice = { message }
      session.emit(id, 'chat:notice', { message })
    }
    return model
  }

  /** @throws JarvisError `unknown_agent` where it is gone: nothing runs as main in its place */
  function requireAgent({ agent }: ActiveRun): Agent {
    const found = agents.find(agent)
    if (found !== undefined) return found
    throw new JarvisError(
      'unknown_agent',
      `The agent ${agent} is gone, so this answer ends here, and nothing was run as another one. Begin a new conversation.`,
    )
  }

  return { profileOf, turnsOf, principalIn, modelOf, ownModelOf, modelFor, refusalIn, kinOf }
}

/** Whether a tool of that name is the program's. JARVIS's own of that name is left out of the run. */
export const isOfProgram = (origin: Origin, name: string): boolean =>
  origin.kind === 'v1' && origin.tools?.some((tool) => tool.name === name) === true

/** A program's person sits elsewhere, and cannot be asked a question. */
const programRefusal = (name: string, { asks }: Pick<RunParts, 'asks'>): string | undefined =>
  asks(name) ? `${name} asks the operator, and nobody is there to answer a program.` : undefined

const chosenFor = (origin: Origin) => ('model' in origin ? origin.model : undefined)
