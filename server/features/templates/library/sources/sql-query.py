# /// script
# dependencies = ["pandas>=2.2,<4", "sqlalchemy>=2,<3"]
# ///
import pandas
import sqlalchemy

from miranda import Code, Field, Node, Number, Secret, Transmitter


class SqlQuery(Node):
    """Asks an SQL database by its address. SQLite works at once; others need their driver as a package of this node."""

    address = Field("sqlite://", control=Secret())
    query = Field("select 1 as number, 'one' as word", control=Code("sql"))
    most_rows = Field(100000, control=Number(min=1, step=1))
    table = Transmitter("dataframe")
    cache = False

    def run(self):
        engine = sqlalchemy.create_engine(self.address)
        try:
            with engine.connect() as connection:
                parts = pandas.read_sql(sqlalchemy.text(self.query), connection, chunksize=self.most_rows)
                table = next(iter(parts))
        finally:
            engine.dispose()
        self.log.info("%d rows, %d columns", *table.shape)
        self.table.send(table)
