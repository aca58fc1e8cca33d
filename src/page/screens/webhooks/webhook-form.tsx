// Asks where events go, and which: for a new webhook, or to change one. What is not touched stays as it is.
import { type Signal, useSignal } from '@preact/signals';
import { EVENT_TYPES } from '../../../model/events/event-types.data.ts';
import type { WebhookItem } from '../../../wire/api/webhooks.ts';
import type { Request } from '../../api/request.ts';
import { useApp, useTexts } from '../../app-state.ts';
import { useCommand } from '../../live/ask/use-command.ts';
import { useFarm } from '../../live/farm-state.ts';
import { Marks } from '../../parts/admin/marks.tsx';
import { RefusalNote } from '../../parts/bits.tsx';
import { Dialog, FormButtons } from '../../parts/dialog.tsx';

type WebhookFormProps<T> = {
  readonly request: Pick<Request, 'method' | 'path'>;
  /** What it begins with; undefined = a new one. */
  readonly webhook?: WebhookItem;
  readonly onDone: (done: T) => void;
  readonly onClose: () => void;
};

/** null = all, later ones too. */
type Some = readonly string[] | null;

/** In what a person has given, where nothing is marked. */
const isEmpty = (some: Some): boolean => some?.length === 0;

export function WebhookForm<T>({ request, webhook, onDone, onClose }: WebhookFormProps<T>) {
  const { webhooks: texts, common } = useTexts();
  const command = useCommand();
  const farms = useSignal<Some>(webhook?.farm_ids ?? null);
  const types = useSignal<Some>(webhook?.event_types ?? null);
  const isNoneMarked = useSignal(false);
  const choices = useFarmChoices(farms.value);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const form = new FormData(event.currentTarget);
    isNoneMarked.value = isEmpty(farms.value) || isEmpty(types.value);
    if (isNoneMarked.value) return;
    const name = String(form.get('name') ?? '').trim();
    const url = String(form.get('url') ?? '');
    const body = { url, ...(name !== '' && { name }), farm_ids: farms.value, event_types: types.value };
    const done = await command.run<T>({ ...request, body });
    if (done !== undefined) onDone(done);
  };
  return (
    <Dialog title={webhook?.name ?? texts.add} onClose={onClose}>
      <form onSubmit={submit}>
        <label>
          {texts.url}
          <input
            name="url"
            type="url"
            autocomplete="off"
            required
            maxLength={2_048}
            placeholder="https://example.com/hooks"
            defaultValue={webhook?.url}
          />
        </label>
        <label>
          {texts.name}
          <input name="name" autocomplete="off" maxLength={128} defaultValue={webhook?.name} />
        </label>
        <AllOrSome title={texts.farms} all={texts.allFarms} some={farms} choices={choices} />
        <AllOrSome title={texts.events} all={texts.allEvents} some={types} choices={KINDS} />
        {isNoneMarked.value && (
          <p class="note note-bad" role="alert">
            {texts.noneMarked}
          </p>
        )}
        <RefusalNote refusal={command.refusal} />
        <FormButtons
          label={webhook === undefined ? texts.addNow : common.save}
          isDisabled={command.isBusy}
          onClose={onClose}
        />
      </form>
    </Dialog>
  );
}

/** As messages name them: who reads them is a program. */
const KINDS = Object.keys(EVENT_TYPES).map((id) => ({ id, name: id }));

/** Those that the person sees, and those that are marked already. */
function useFarmChoices(marked: Some) {
  const { session } = useApp();
  const { ref } = useFarm();
  const state = session.value;
  const seen = state.kind === 'open' ? state.session.farms : [];
  const own = seen.filter(({ workspace_id }) => workspace_id === ref.workspaceId);
  const others = (marked ?? []).filter((id) => !own.some((farm) => farm.id === id));
  return [
    ...own.map(({ id, name }) => ({ id, name: name ?? id.slice(-6) })),
    ...others.map((id) => ({ id, name: id.slice(-6) })),
  ];
}

type AllOrSomeProps = {
  readonly title: string;
  readonly all: string;
  readonly some: Signal<Some>;
  readonly choices: readonly { readonly id: string; readonly name: string }[];
};

function AllOrSome({ title, all, some, choices }: AllOrSomeProps) {
  return (
    <>
      <label class="mark">
        <input
          type="checkbox"
          checked={some.value === null}
          onChange={({ currentTarget: { checked } }) => {
            some.value = checked ? null : [];
          }}
        />
        {all}
      </label>
      {some.value !== null && (
        <Marks
          title={title}
          choices={choices}
          marked={some.value}
          onChange={(marked) => {
            some.value = marked;
          }}
        />
      )}
    </>
  );
}
