export { checkProof, type Proven, prove } from './backup-proof.ts'
export { isSealed, type SecretBox } from './box.ts'
export { SecretsRefused } from './cipher.ts'
export { keyringName } from './keyring.ts'
export { credentialName, type KeyPlace, type KeySources, wordsOf } from './master-keys.ts'
export { addKeys, type Rotated, rotate } from './rotate.ts'
export { sealedRows, sealedRowsIn, sealRows } from './sealed-rows.ts'
export {
  backupKeys,
  type Keys,
  keyringMissing,
  makeSecrets,
  openSecrets,
  openToOthers,
  problemOf,
  readKeys,
} from './secrets.ts'
