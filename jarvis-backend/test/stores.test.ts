import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { SqliteChallengeStore } from '../src/store/sqlite/access/challenges.ts'
import { SqliteForeignAccountStore } from '../src/store/sqlite/access/foreign-accounts.ts'
import { SqliteLinkStore } from '../src/store/sqlite/access/links.ts'
import { SqliteOAuthStore } from '../src/store/sqlite/access/oauth.ts'
import { SqlitePasskeyStore } from '../src/store/sqlite/access/passkeys.ts'
import { SqlitePersonStore, SqliteSignInStore } from '../src/store/sqlite/access/people.ts'
import { SqliteSecondFactorStore } from '../src/store/sqlite/access/second-factor.ts'
import { SqliteSignerKeyStore } from '../src/store/sqlite/access/signer-keys.ts'
import { SqliteApiTokenStore, SqliteRevocationStore } from '../src/store/sqlite/access/tokens.ts'
import { SqliteAlertStore, SqliteCheckStore, SqliteWindowStore } from '../src/store/sqlite/alerts.ts'
import { SqliteAskedStore } from '../src/store/sqlite/asked.ts'
import { SqliteAttachedStore } from '../src/store/sqlite/attached.ts'
import { SqliteAttachedSignInStore } from '../src/store/sqlite/attached-sign-ins.ts'
import { SqliteChangeStore } from '../src/store/sqlite/calls/changes.ts'
import { SqliteConfirmationStore, SqliteExecutionStore } from '../src/store/sqlite/calls/confirmations.ts'
import { SqliteGrantStore } from '../src/store/sqlite/calls/grants.ts'
import { SqliteQuestionStore } from '../src/store/sqlite/calls/questions.ts'
import { SqliteChatStore } from '../src/store/sqlite/channels/chats.ts'
import { SqliteChoiceStore } from '../src/store/sqlite/channels/choices.ts'
import { SqliteHeardStore } from '../src/store/sqlite/channels/heard.ts'
import { SqliteNonceStore } from '../src/store/sqlite/channels/nonces.ts'
import { SqliteOutboxStore } from '../src/store/sqlite/channels/outbox.ts'
import { SqlitePairingStore } from '../src/store/sqlite/channels/pairings.ts'
import { SqliteRecipientStore } from '../src/store/sqlite/channels/recipients.ts'
import { SqliteSubscriptionStore } from '../src/store/sqlite/channels/subscriptions.ts'
import { type Database, openDatabase } from '../src/store/sqlite/database.ts'
import { SqliteDrillStore } from '../src/store/sqlite/drills.ts'
import { SqliteFeedbackStore } from '../src/store/sqlite/feedback.ts'
import { SqliteGenerationStore } from '../src/store/sqlite/generations.ts'
import { SqliteJobStore } from '../src/store/sqlite/jobs.ts'
import { SqliteLeaningStore } from '../src/store/sqlite/leaning.ts'
import { openMemoryStore } from '../src/store/sqlite/memory/store.ts'
import { SqlitePlanStore } from '../src/store/sqlite/plans.ts'
import { SqliteSampleStore } from '../src/store/sqlite/samples/samples.ts'
import { SqliteAttachmentStore } from '../src/store/sqlite/sessions/attachments.ts'
import { SqliteImageStore } from '../src/store/sqlite/sessions/images.ts'
import { SqliteKeptRunStore } from '../src/store/sqlite/sessions/kept-runs.ts'
import { SqliteShareStore } from '../src/store/sqlite/sessions/shares.ts'
import { SqliteTranscriptStore } from '../src/store/sqlite/sessions/transcript.ts'
import { SqliteSkillStore } from '../src/store/sqlite/skills.ts'
import { SqliteSpendingStore } from '../src/store/sqlite/spending.ts'
import * as access from './contracts/access-stores.ts'
import * as alerts from './contracts/alert-stores.ts'
import * as calls from './contracts/call-stores.ts'
import * as channels from './contracts/channel-stores.ts'
import { drillStoreContract } from './contracts/drill-store.ts'
import { feedbackStoreContract } from './contracts/feedback-store.ts'
import { generationStoreContract } from './contracts/generation-store.ts'
import * as indexes from './contracts/index-stores.ts'
import { jobStoreContract } from './contracts/job-store.ts'
import { planStoreContract } from './contracts/plan-store.ts'
import { questionStoreContract } from './contracts/question-store.ts'
import { skillStoreContract } from './contracts/skill-store.ts'
import { spendingStoreContract } from './contracts/spending-store.ts'
import { transcriptStoreContract } from './contracts/transcript-store.ts'

/** A new database with the sessions that the contracts speak of. */
const inSqlite =
  <Store>(create: (database: Database) => Store) =>
  () => {
    const database = openDatabase(':memory:')
    onTestFinished(() => void database.close())
    const transcripts = new SqliteTranscriptStore(database)
    for (const id of ['ses_1', 'ses_2']) transcripts.createSession({ id, title: id, source: 'chat', at: 10 })
    return create(database)
  }

/** Every store port, and what fills it. A second store is a second table. */
const sqlite: Record<string, () => void> = {
  AlertStore: () => alerts.alertStoreContract(inSqlite((database) => new SqliteAlertStore(database))),
  AskedStore: () => calls.askedStoreContract(inSqlite((database) => new SqliteAskedStore(database))),
  AttachedSignInStore: () =>
    calls.attachedSignInStoreContract(
      inSqlite((database) => (canOpen = true) => {
        const open = (place: string, sealed: string) => {
          if (!canOpen || !sealed.startsWith(place)) throw new Error('no key')
          return sealed.slice(place.length)
        }
        return new SqliteAttachedSignInStore(database, { seal: (place, text) => place + text, open })
      }),
    ),
  AttachedStore: () => calls.attachedStoreContract(inSqlite((database) => new SqliteAttachedStore(database))),
  AttachmentStore: () => calls.attachmentStoreContract(inSqlite((database) => new SqliteAttachmentStore(database))),
  ChallengeStore: () => access.challengeStoreContract(inSqlite((database) => new SqliteChallengeStore(database))),
  ChangeStore: () => calls.changeStoreContract(inSqlite((database) => new SqliteChangeStore(database))),
  CheckStore: () => alerts.checkStoreContract(inSqlite((database) => new SqliteCheckStore(database))),
  ConfirmationStore: () =>
    calls.confirmationStoreContract(inSqlite((database) => new SqliteConfirmationStore(database))),
  DrillStore: () => drillStoreContract(inSqlite((database) => new SqliteDrillStore(database))),
  FeedbackStore: () =>
    feedbackStoreContract(
      inSqlite((database) => ({
        store: new SqliteFeedbackStore(database),
        transcripts: new SqliteTranscriptStore(database),
      })),
    ),
  GenerationStore: () => generationStoreContract(inSqlite((database) => new SqliteGenerationStore(database))),
  ExecutionStore: () => calls.executionStoreContract(inSqlite((database) => new SqliteExecutionStore(database))),
  GrantStore: () => calls.grantStoreContract(inSqlite((database) => new SqliteGrantStore(database))),
  ImageStore: () => calls.imageStoreContract(inSqlite((database) => new SqliteImageStore(database))),
  JobStore: () => jobStoreContract(inSqlite((database) => new SqliteJobStore(database))),
  KeptRunStore: () => calls.keptRunStoreContract(inSqlite((database) => new SqliteKeptRunStore(database, () => 0))),
  LeaningStore: () => alerts.leaningStoreContract(inSqlite((database) => new SqliteLeaningStore(database))),
  LinkStore: () => access.linkStoreContract(inSqlite((database) => new SqliteLinkStore(database))),
  ApiTokenStore: () => access.apiTokenStoreContract(inSqlite((database) => new SqliteApiTokenStore(database))),
  MemoryStore: () =>
    indexes.memoryStoreContract(() => {
      const store = openMemoryStore(':memory:', () => {})
      onTestFinished(() => store.close())
      return store
    }),
  ChatStore: () => channels.chatStoreContract(inSqlite((database) => new SqliteChatStore(database))),
  ChoiceStore: () => channels.choiceStoreContract(inSqlite((database) => new SqliteChoiceStore(database))),
  HeardStore: () => channels.heardStoreContract(inSqlite((database) => new SqliteHeardStore(database))),
  NonceStore: () => channels.nonceStoreContract(inSqlite((database) => new SqliteNonceStore(database))),
  OAuthStore: () => access.oauthStoreContract(inSqlite((database) => new SqliteOAuthStore(database))),
  OutboxStore: () => channels.outboxStoreContract(inSqlite((database) => new SqliteOutboxStore(database))),
  PairingStore: () => channels.pairingStoreContract(inSqlite((database) => new SqlitePairingStore(database))),
  PasskeyStore: () => access.passkeyStoreContract(inSqlite((database) => new SqlitePasskeyStore(database))),
  PersonStore: () => access.personStoreContract(inSqlite((database) => new SqlitePersonStore(database))),
  PlanStore: () => planStoreContract(inSqlite((database) => new SqlitePlanStore(database))),
  QuestionStore: () => questionStoreContract(inSqlite((database) => new SqliteQuestionStore(database))),
  RecipientStore: () => channels.recipientStoreContract(inSqlite((database) => new SqliteRecipientStore(database))),
  RevocationStore: () =>
    access.revocationStoreContract(inSqlite((database) => new SqliteRevocationStore(database, () => 1_000))),
  SampleStore: () => indexes.sampleStoreContract(inSqlite((database) => new SqliteSampleStore(database))),
  SecondFactorStore: () =>
    access.secondFactorStoreContract(inSqlite((database) => new SqliteSecondFactorStore(database))),
  SubscriptionStore: () =>
    channels.subscriptionStoreContract(inSqlite((database) => new SqliteSubscriptionStore(database))),
  SpendingStore: () => spendingStoreContract(inSqlite((database) => new SqliteSpendingStore(database))),
  ForeignAccountStore: () =>
    access.foreignAccountStoreContract(inSqlite((database) => new SqliteForeignAccountStore(database))),
  SignerKeyStore: () => access.signerKeyStoreContract(inSqlite((database) => new SqliteSignerKeyStore(database))),
  ShareStore: () => access.shareStoreContract(inSqlite((database) => new SqliteShareStore(database))),
  SignInStore: () => access.signInStoreContract(inSqlite((database) => new SqliteSignInStore(database))),
  SkillStore: () =>
    skillStoreContract(
      inSqlite(
        (database) =>
          [new SqliteSkillStore(database, 'main'), new SqliteSkillStore(database, 'coder')] satisfies [
            unknown,
            unknown,
          ],
      ),
    ),
  TranscriptStore: () => transcriptStoreContract(inSqlite((database) => new SqliteTranscriptStore(database))),
  WindowStore: () => alerts.windowStoreContract(inSqlite((database) => new SqliteWindowStore(database))),
}

for (const [port, contract] of Object.entries(sqlite)) describe(`${port} in SQLite`, contract)

test('every store port has its contract', () => {
  const ports = ['../src', '../../packages/homelab-ports/src'].flatMap((folder) => {
    const src = fileURLToPath(new URL(folder, import.meta.url))
    const files = (readdirSync(src, { recursive: true }) as string[]).filter((name) => name.endsWith('.ts'))
    return files.flatMap((name) =>
      [...readFileSync(join(src, name), 'utf8').matchAll(/^export interface (\w+Store)\b/gm)].map(([, port]) => port),
    )
  })
  expect(ports.sort()).toEqual(Object.keys(sqlite).sort())
})
