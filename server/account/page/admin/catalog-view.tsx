/** The games that the host sells, with their plans: added, changed, published and hidden. */
import type { Api } from '../api.ts';
import { useDialog } from '../dialog.tsx';
import { ResourceView } from '../resource-view.tsx';
import { onReturn, useQuery } from '../use-query.ts';
import { Blank, CreateButton, View } from '../view.tsx';
import { AddGameDialog } from './game-dialogs.tsx';
import { GameItem } from './game-item.tsx';

const readGames = async (api: Api) => (await api.admin.listGames.query()).games;

export function CatalogView() {
  const query = useQuery(readGames, onReturn);
  const { content: games, reload: onChanged } = query;
  const { dialog, show } = useDialog();
  const add = () => games && show(<AddGameDialog {...{ games, onChanged }} />);
  return (
    <View
      title="Catalog"
      lede="The games that you sell. Published ones are read by your web site and by all keys."
      action={<CreateButton label="Add a game" isDisabled={!games} onClick={add} />}
    >
      <ResourceView of={query}>
        {(games) =>
          games.length === 0 ? (
            <NoGames onAdd={add} />
          ) : (
            <ul class="panel" aria-label="Games">
              {games.map((game) => (
                <GameItem key={game.slug} {...{ game, onChanged }} />
              ))}
            </ul>
          )
        }
      </ResourceView>
      {dialog}
    </View>
  );
}

const NoGames = ({ onAdd }: { onAdd: () => void }) => (
  <Blank
    icon="tag"
    title="No games"
    text={
      <>
        Add the first one; your web site and programs read it from the{' '}
        <a href="/api/v1/docs#operations-tag-Catalog">catalog in the API</a>
      </>
    }
  >
    <button type="button" class="button is-primary" onClick={onAdd}>
      Add the first game
    </button>
  </Blank>
);
