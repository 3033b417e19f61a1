export const tokenAreas = `
  -- Rights of a token besides its scope, with commas. Empty: none, as for all tokens of before.
  ALTER TABLE api_tokens ADD COLUMN areas TEXT NOT NULL DEFAULT '';
`
