"""One file per kind of stage."""

from attex.runner.stage import Stage
from attex.runner.stages.analysis import AnalysisStage
from attex.runner.stages.corpus import CorpusStage
from attex.runner.stages.explored import ExploredStage
from attex.runner.stages.figures import FiguresStage
from attex.runner.stages.findings import FindingsStage
from attex.runner.stages.importance import ImportanceStage
from attex.runner.stages.masked import MaskedStage
from attex.runner.stages.numbers import NumbersStage
from attex.runner.stages.predictions import PredictionsStage
from attex.runner.stages.subwords import SubwordsStage
from attex.runner.stages.training import TrainingStage
from attex.runner.stages.vectors import VectorsStage

KINDS: dict[str, type[Stage]] = {
    kind.kind: kind
    for kind in (
        CorpusStage,
        MaskedStage,
        SubwordsStage,
        VectorsStage,
        TrainingStage,
        PredictionsStage,
        ImportanceStage,
        FindingsStage,
        AnalysisStage,
        FiguresStage,
        ExploredStage,
        NumbersStage,
    )
}
