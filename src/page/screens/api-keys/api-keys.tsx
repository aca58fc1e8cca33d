// The API keys of the workspace: with what programs ask, what each may do, and when it was last used.
import { useSignal } from '@preact/signals';
import type { KeyItem, KeyWithText } from '../../../wire/api/keys.ts';
import { workspacePath } from '../../api/paths.ts';
import type { Answer } from '../../api/request.ts';
import { useApp, useTexts } from '../../app-state.ts';
import { useAsked } from '../../live/ask/use-asked.ts';
import { useCommand } from '../../live/ask/use-command.ts';
import { useFarm } from '../../live/farm-state.ts';
import { AskDialog } from '../../parts/admin/ask-dialog.tsx';
import { SecretDialog } from '../../parts/admin/secret-dialog.tsx';
import { Age, Fact, Loading, ReadAge, RefusalNote } from '../../parts/bits.tsx';
import type { Texts } from '../../text/texts.ts';
import { guarded } from '../entry/guarded.tsx';
import { AddKey } from './add-key.tsx';
import { isUsable } from './usable.ts';

const EVERY_MS = 15_000;
/** A workspace has no more that are not revoked, and those come first. */
const MOST = 1_000;

export const ApiKeys = guarded('keys.update', ApiKeysScreen);

function ApiKeysScreen() {
  const { nowMs } = useApp();
  const { ref } = useFarm();
  const { apiKeys: texts } = useTexts();
  const path = workspacePath(ref.workspaceId, 'keys');
  const { answer, atMs, refusal, again } = useAsked<Answer<readonly KeyItem[]>>(`${path}?page_size=${MOST}`, EVERY_MS);
  const isAdding = useSignal(false);
  const made = useSignal<Pick<KeyWithText, 'name' | 'key'> | undefined>(undefined);
  const ending = useSignal<KeyItem | undefined>(undefined);
  const all = answer?.data ?? [];
  const usable = all.filter((key) => isUsable(key, nowMs.value));
  const ended = all.filter((key) => !usable.includes(key));
  const total = answer?.pagination?.total ?? all.length;
  return (
    <section>
      <h1>{texts.title}</h1>
      <p class="note">{texts.intro}</p>
      <RefusalNote refusal={refusal} />
      <div class="actions">
        <button type="button" class="act act-main" onClick={() => (isAdding.value = true)}>
          {texts.add}
        </button>
      </div>
      {answer === undefined && refusal === undefined && <Loading />}
      {answer !== undefined && all.length === 0 && <p class="note">{texts.none}</p>}
      <ul class="cards">
        {usable.map((key) => (
          <KeyCard key={key.id} item={key} onEnd={() => (ending.value = key)} />
        ))}
      </ul>
      {ended.length > 0 && (
        <details class="fold">
          <summary>{texts.ended(ended.length)}</summary>
          <ul class="cards">
            {ended.map((key) => (
              <KeyCard
                key={key.id}
                item={key}
                onEnd={key.revoked_at === null ? () => (ending.value = key) : undefined}
              />
            ))}
          </ul>
        </details>
      )}
      {total > all.length && <p class="note">{texts.shown(all.length, total)}</p>}
      <ReadAge atMs={atMs} />
      {isAdding.value && (
        <AddKey
          path={path}
          onClose={() => (isAdding.value = false)}
          onMade={({ name, key }) => {
            isAdding.value = false;
            made.value = { name, key };
            again();
          }}
        />
      )}
      {made.value !== undefined && (
        <SecretDialog
          title={texts.made(made.value.name)}
          hint={texts.once}
          secret={made.value.key}
          onClose={() => {
            made.value = undefined;
          }}
        />
      )}
      {ending.value !== undefined && (
        <EndKey
          path={path}
          item={ending.value}
          onClose={() => {
            ending.value = undefined;
          }}
          onEnded={again}
        />
      )}
    </section>
  );
}

function KeyCard({ item, onEnd }: { item: KeyItem; onEnd: (() => void) | undefined }) {
  const { nowMs, format } = useApp();
  const texts = useTexts();
  const { id, name, role, permissions, last_used_at, expires_at, revoked_at } = item;
  const moment = (iso: string) => format.value.moment(Date.parse(iso), nowMs.value);
  const isOver = revoked_at === null && !isUsable(item, nowMs.value);
  return (
    <li class="card">
      <h2>{name}</h2>
      {revoked_at !== null && <p class="note barred">{texts.apiKeys.revoked(moment(revoked_at))}</p>}
      {isOver && <p class="note barred">{texts.apiKeys.over}</p>}
      <dl class="facts">
        <Fact name={texts.apiKeys.may}>
          {role === null ? permissions.map((one) => permissionText(one, texts)).join(', ') || '–' : texts.role[role]}
        </Fact>
        <Fact name={texts.apiKeys.lastUsed}>
          <Age atMs={last_used_at === null ? null : Date.parse(last_used_at)} />
        </Fact>
        <Fact name={texts.apiKeys.ends}>{expires_at === null ? texts.people.noEnd : moment(expires_at)}</Fact>
        <Fact name="ID">
          <code>{id}</code>
        </Fact>
      </dl>
      {onEnd !== undefined && (
        <div class="actions">
          <button type="button" class="act" aria-label={`${texts.apiKeys.revoke}: ${name}`} onClick={onEnd}>
            {texts.apiKeys.revoke}
          </button>
        </div>
      )}
    </li>
  );
}

type EndKeyProps = {
  readonly path: string;
  readonly item: KeyItem;
  readonly onClose: () => void;
  readonly onEnded: () => void;
};

function EndKey({ path, item, onClose, onEnded }: EndKeyProps) {
  const { apiKeys: texts } = useTexts();
  const command = useCommand();
  const end = async () => {
    if ((await command.run({ method: 'DELETE', path: `${path}/${item.id}` })) === undefined) return;
    onClose();
    onEnded();
  };
  return (
    <AskDialog
      title={texts.revokeAsk(item.name)}
      hint={texts.revokeHint}
      act={texts.revoke}
      command={command}
      onAct={end}
      onClose={onClose}
    />
  );
}

/** A newer service may know others: these are shown as they are. */
function permissionText(name: string, { settings }: Texts): string {
  return Object.entries(settings.permissions).find(([known]) => known === name)?.[1] ?? name;
}
