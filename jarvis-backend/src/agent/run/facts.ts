import type { ActiveRun, RunProfile } from '../active-run.ts'
import type { Model } from '../model.ts'
import type { Origin } from '../origin.ts'
import { principalOf, rightsOf } from '../principal.ts'
import type { RunParts } from '../run-agent.ts'
import type { LiveSession } from '../sessions/live-session.ts'

export type RunFacts = ReturnType<typeof createRunFacts>

/** Says who asks in a run, by which profile and which model it goes, and how many turns it may take. */
export function createRunFacts(parts: Pick<RunParts, 'store' | 'models' | 'profile'>) {
  const { store, models } = parts

  /** Read when the run begins to be worked on, and kept for all of it. */
  function profileOf(session: LiveSession, run: ActiveRun): RunProfile {
    run.profile ??= parts.profile(store.session(session.id) ?? {})
    return run.profile
  }

  /** How many turns a run may have: one for a command or a client's call. */
  const turnsOf = (session: LiveSession, run: ActiveRun) =>
    rightsOf(principalIn(run)).hasModel ? profileOf(session, run).limits.turns : 1

  const principalIn = (run: ActiveRun) => principalOf(run.origin, modelOf(run).id)

  /** The one chosen for the run, as long as it is configured. */
  function modelOf({ origin }: Pick<ActiveRun, 'origin'>): Model {
    const chosen = chosenFor(origin)
    return (chosen === undefined ? undefined : models.named(chosen)) ?? models.current()
  }

  function modelFor(session: LiveSession, run: ActiveRun): Model {
    const { id } = run.row
    const chosen = chosenFor(run.origin)
    const model = modelOf(run)
    const message = `${chosen} is not configured any more; ${model.id} answers.`
    if (chosen !== undefined && model.id !== chosen && run.notice?.message !== message) {
      run.notice = { message }
      session.emit(id, 'chat:notice', { message })
    }
    return model
  }

  return { profileOf, turnsOf, principalIn, modelOf, modelFor }
}

const chosenFor = (origin: Origin) => ('model' in origin ? origin.model : undefined)
