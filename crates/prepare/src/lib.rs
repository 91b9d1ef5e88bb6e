//! Preparation: scaling, encoding, imputation, column selection, pipelines.

mod choose;
mod columns;
mod dates;
mod default;
mod encode;
mod expand;
mod impute;
mod pipeline;
mod scale;
mod select;
mod text;

pub use choose::{
    BestSubset, Direction, EliminationParams, HowMany, KBest, Rfe, Rfecv, ScoreFunction, ScoringParams,
    SelectFdr, SelectFpr, SelectFromModel, SelectFwe, SelectKBest, SelectPercentile, SelectionModel,
    SequentialFeatureSelector, SubsetCriterion, TestParams, Threshold, VarianceThreshold,
};
pub use columns::{ColumnTransformer, ColumnTransformerModel, Remainder};
pub use dates::{DateFeatures, DateFeaturesModel, DatePart, DateParts};
pub use default::{Prepared, prepared};
pub use encode::{
    Drop, EncodeColumns, EncodedColumns, HandleUnknown, MissingLevel, OneHotEncoder, OneHotEncoderModel,
    OrdinalEncoder, OrdinalEncoderModel, OrdinalUnknown, Smooth, TargetEncoder, TargetEncoderModel,
    TargetType,
};
pub use expand::{
    BinEncoding, BinStrategy, Extrapolation, HandleMissing, KBinsDiscretizer, KBinsDiscretizerModel, Knots,
    MemoryOrder, PolynomialFeatures, PolynomialFeaturesModel, SplineTransformer, SplineTransformerModel,
    Whole,
};
pub use impute::{
    ImputationOrder, ImputeStrategy, IndicatorFeatures, IndicatorParams, IndicatorSparse, IterativeImputer,
    IterativeImputerModel, KnnImputer, KnnImputerModel, MissingIndicator, MissingIndicatorModel, NanMetric,
    NeighbourWeights, SimpleImputer, SimpleImputerModel,
};
pub use pipeline::{Pipeline, PipelineModel};
pub use scale::{
    Binarizer, BinarizerModel, DecimalScaler, DecimalScalerModel, Extremes, LogMethod, LogScaler,
    LogScalerModel, MaxAbsScaler, MaxAbsScalerModel, MinMaxScaler, MinMaxScalerModel, Norm, Normalizer,
    NormalizerModel, OutputDistribution, PowerMethod, PowerTransformer, PowerTransformerModel,
    QuantileMethod, QuantileTransformer, QuantileTransformerModel, RobustScaler, RobustScalerModel,
    StandardScaler, StandardScalerModel,
};
pub use select::{SelectColumns, SelectColumnsModel};
pub use text::{
    CountVectorizer, CountVectorizerModel, Formula, HashingVectorizer, HashingVectorizerModel, RowNorm,
    StopWords, StripAccents, TermParams, TextAnalyzer, TfidfParams, TfidfTransformer, TfidfTransformerModel,
    TfidfVectorizer, TfidfVectorizerModel, VocabularyParams, english_stop_words,
};

use mercer_core::catalogue::Entry;

/// The learners of this family.
#[inline(never)] // Inlined, it would have every learner compiled again wherever it is called.
pub fn learners() -> &'static [Entry] {
    const {
        &[
            Entry::of::<StandardScaler>(),
            Entry::of::<MinMaxScaler>(),
            Entry::of::<MaxAbsScaler>(),
            Entry::of::<RobustScaler>(),
            Entry::of::<DecimalScaler>(),
            Entry::of::<LogScaler>(),
            Entry::of::<Normalizer>(),
            Entry::of::<QuantileTransformer>(),
            Entry::of::<PowerTransformer>(),
            Entry::of::<Binarizer>(),
            Entry::of::<KBinsDiscretizer>(),
            Entry::of::<PolynomialFeatures>(),
            Entry::of::<SplineTransformer>(),
            Entry::of::<OneHotEncoder>(),
            Entry::of::<OrdinalEncoder>(),
            Entry::of::<TargetEncoder>(),
            Entry::of::<DateFeatures>(),
            Entry::of::<CountVectorizer>(),
            Entry::of::<TfidfVectorizer>(),
            Entry::of::<HashingVectorizer>(),
            Entry::of::<TfidfTransformer>(),
            Entry::of::<SimpleImputer>(),
            Entry::of::<KnnImputer>(),
            Entry::of::<IterativeImputer>(),
            Entry::of::<MissingIndicator>(),
            Entry::of::<VarianceThreshold>(),
            Entry::of::<SelectKBest>(),
            Entry::of::<SelectPercentile>(),
            Entry::of::<SelectFpr>(),
            Entry::of::<SelectFdr>(),
            Entry::of::<SelectFwe>(),
            Entry::of::<Rfe>(),
            Entry::of::<Rfecv>(),
            Entry::of::<SelectFromModel>(),
            Entry::of::<SequentialFeatureSelector>(),
            Entry::of::<BestSubset>(),
            Entry::of::<SelectColumns>(),
            Entry::of::<ColumnTransformer>(),
            Entry::of::<Pipeline>(),
        ]
    }
}
