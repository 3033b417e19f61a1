import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createChallengeStore } from '../src/store/sqlite/access/challenges.ts'
import { createForeignAccountStore } from '../src/store/sqlite/access/foreign-accounts.ts'
import { createLinkStore } from '../src/store/sqlite/access/links.ts'
import { createOAuthStore } from '../src/store/sqlite/access/oauth.ts'
import { createPasskeyStore } from '../src/store/sqlite/access/passkeys.ts'
import { createPersonStore, createSignInStore } from '../src/store/sqlite/access/people.ts'
import { createSecondFactorStore } from '../src/store/sqlite/access/second-factor.ts'
import { createSignerKeyStore } from '../src/store/sqlite/access/signer-keys.ts'
import { createApiTokenStore, createRevocationStore } from '../src/store/sqlite/access/tokens.ts'
import { createAlertStore, createCheckStore, createWindowStore } from '../src/store/sqlite/alerts.ts'
import { createAskedStore } from '../src/store/sqlite/asked.ts'
import { createAttachedStore } from '../src/store/sqlite/attached.ts'
import { createAttachedSignInStore } from '../src/store/sqlite/attached-sign-ins.ts'
import { createChangeStore } from '../src/store/sqlite/calls/changes.ts'
import { SqliteConfirmationStore, SqliteExecutionStore } from '../src/store/sqlite/calls/confirmations.ts'
import { createGrantStore } from '../src/store/sqlite/calls/grants.ts'
import { createQuestionStore } from '../src/store/sqlite/calls/questions.ts'
import { createChatStore } from '../src/store/sqlite/channels/chats.ts'
import { createChoiceStore } from '../src/store/sqlite/channels/choices.ts'
import { createHeardStore } from '../src/store/sqlite/channels/heard.ts'
import { createNonceStore } from '../src/store/sqlite/channels/nonces.ts'
import { SqliteOutboxStore } from '../src/store/sqlite/channels/outbox.ts'
import { createPairingStore } from '../src/store/sqlite/channels/pairings.ts'
import { createRecipientStore } from '../src/store/sqlite/channels/recipients.ts'
import { createSubscriptionStore } from '../src/store/sqlite/channels/subscriptions.ts'
import { type Database, openDatabase } from '../src/store/sqlite/database.ts'
import { createDrillStore } from '../src/store/sqlite/drills.ts'
import { createGenerationStore } from '../src/store/sqlite/generations.ts'
import { createJobStore } from '../src/store/sqlite/jobs.ts'
import { createLeaningStore } from '../src/store/sqlite/leaning.ts'
import { openMemoryStore } from '../src/store/sqlite/memory/store.ts'
import { createPlanStore } from '../src/store/sqlite/plans.ts'
import { SqliteSampleStore } from '../src/store/sqlite/samples/samples.ts'
import { createAttachmentStore } from '../src/store/sqlite/sessions/attachments.ts'
import { createImageStore } from '../src/store/sqlite/sessions/images.ts'
import { createKeptRunStore } from '../src/store/sqlite/sessions/kept-runs.ts'
import { createShareStore } from '../src/store/sqlite/sessions/shares.ts'
import { SqliteTranscriptStore } from '../src/store/sqlite/sessions/transcript.ts'
import { createSkillStore } from '../src/store/sqlite/skills.ts'
import { createSpendingStore } from '../src/store/sqlite/spending.ts'
import * as access from './contracts/access-stores.ts'
import * as alerts from './contracts/alert-stores.ts'
import * as calls from './contracts/call-stores.ts'
import * as channels from './contracts/channel-stores.ts'
import { drillStoreContract } from './contracts/drill-store.ts'
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
  AlertStore: () => alerts.alertStoreContract(inSqlite(createAlertStore)),
  AskedStore: () => calls.askedStoreContract(inSqlite(createAskedStore)),
  AttachedSignInStore: () =>
    calls.attachedSignInStoreContract(
      inSqlite((database) => (canOpen = true) => {
        const open = (place: string, sealed: string) => {
          if (!canOpen || !sealed.startsWith(place)) throw new Error('no key')
          return sealed.slice(place.length)
        }
        return createAttachedSignInStore(database, { seal: (place, text) => place + text, open })
      }),
    ),
  AttachedStore: () => calls.attachedStoreContract(inSqlite(createAttachedStore)),
  AttachmentStore: () => calls.attachmentStoreContract(inSqlite(createAttachmentStore)),
  ChallengeStore: () => access.challengeStoreContract(inSqlite(createChallengeStore)),
  ChangeStore: () => calls.changeStoreContract(inSqlite(createChangeStore)),
  CheckStore: () => alerts.checkStoreContract(inSqlite(createCheckStore)),
  ConfirmationStore: () =>
    calls.confirmationStoreContract(inSqlite((database) => new SqliteConfirmationStore(database))),
  DrillStore: () => drillStoreContract(inSqlite(createDrillStore)),
  GenerationStore: () => generationStoreContract(inSqlite(createGenerationStore)),
  ExecutionStore: () => calls.executionStoreContract(inSqlite((database) => new SqliteExecutionStore(database))),
  GrantStore: () => calls.grantStoreContract(inSqlite(createGrantStore)),
  ImageStore: () => calls.imageStoreContract(inSqlite(createImageStore)),
  JobStore: () => jobStoreContract(inSqlite(createJobStore)),
  KeptRunStore: () => calls.keptRunStoreContract(inSqlite((database) => createKeptRunStore(database, () => 0))),
  LeaningStore: () => alerts.leaningStoreContract(inSqlite(createLeaningStore)),
  LinkStore: () => access.linkStoreContract(inSqlite(createLinkStore)),
  ApiTokenStore: () => access.apiTokenStoreContract(inSqlite(createApiTokenStore)),
  MemoryStore: () =>
    indexes.memoryStoreContract(() => {
      const store = openMemoryStore(':memory:', () => {})
      onTestFinished(() => store.close())
      return store
    }),
  ChatStore: () => channels.chatStoreContract(inSqlite(createChatStore)),
  ChoiceStore: () => channels.choiceStoreContract(inSqlite(createChoiceStore)),
  HeardStore: () => channels.heardStoreContract(inSqlite(createHeardStore)),
  NonceStore: () => channels.nonceStoreContract(inSqlite(createNonceStore)),
  OAuthStore: () => access.oauthStoreContract(inSqlite(createOAuthStore)),
  OutboxStore: () => channels.outboxStoreContract(inSqlite((database) => new SqliteOutboxStore(database))),
  PairingStore: () => channels.pairingStoreContract(inSqlite(createPairingStore)),
  PasskeyStore: () => access.passkeyStoreContract(inSqlite(createPasskeyStore)),
  PersonStore: () => access.personStoreContract(inSqlite(createPersonStore)),
  PlanStore: () => planStoreContract(inSqlite(createPlanStore)),
  QuestionStore: () => questionStoreContract(inSqlite(createQuestionStore)),
  RecipientStore: () => channels.recipientStoreContract(inSqlite(createRecipientStore)),
  RevocationStore: () =>
    access.revocationStoreContract(inSqlite((database) => createRevocationStore(database, () => 1_000))),
  SampleStore: () => indexes.sampleStoreContract(inSqlite((database) => new SqliteSampleStore(database))),
  SecondFactorStore: () => access.secondFactorStoreContract(inSqlite(createSecondFactorStore)),
  SubscriptionStore: () => channels.subscriptionStoreContract(inSqlite(createSubscriptionStore)),
  SpendingStore: () => spendingStoreContract(inSqlite(createSpendingStore)),
  ForeignAccountStore: () => access.foreignAccountStoreContract(inSqlite(createForeignAccountStore)),
  SignerKeyStore: () => access.signerKeyStoreContract(inSqlite(createSignerKeyStore)),
  ShareStore: () => access.shareStoreContract(inSqlite(createShareStore)),
  SignInStore: () => access.signInStoreContract(inSqlite(createSignInStore)),
  SkillStore: () =>
    skillStoreContract(
      inSqlite(
        (database) =>
          [createSkillStore(database, 'main'), createSkillStore(database, 'coder')] satisfies [unknown, unknown],
      ),
    ),
  TranscriptStore: () => transcriptStoreContract(inSqlite((database) => new SqliteTranscriptStore(database))),
  WindowStore: () => alerts.windowStoreContract(inSqlite(createWindowStore)),
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
